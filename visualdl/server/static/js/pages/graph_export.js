// Makes a file of the picture: SVG with all its styles inside, or PNG.

const STYLES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "opacity",
  "font-family", "font-size", "font-weight", "text-anchor", "paint-order", "stroke-linejoin"];
const MARGIN = 16;
const MOST_PIXELS = 36e6;
const MOST_SIDE = 16000;

/**
 * The whole picture as the text of an SVG file.
 *
 * @param {Drawing} drawing All of it is drawn for a moment.
 * @param {string} background The colour behind it.
 */
export function asSvg(drawing, background) {
  drawing.render(null);
  const { width, height } = drawing.size;
  const copy = drawing.canvas.cloneNode(true);
  const [from, to] = [drawing.canvas, copy].map((root) => [...root.querySelectorAll("*")]);
  from.forEach((node, at) => {
    const style = getComputedStyle(node);
    for (const name of STYLES) {
      const value = style.getPropertyValue(name);
      if (value) to[at].setAttribute(name, value);
    }
    if (style.display === "none") to[at].setAttribute("display", "none");
    for (const name of ["class", "id", "data-key", "data-edge"]) {
      if (name !== "id" || !to[at].closest("defs")) to[at].removeAttribute(name);
    }
  });
  for (const name of [...copy.attributes].map((one) => one.name)) copy.removeAttribute(name);
  const [w, h] = [width + 2 * MARGIN, height + 2 * MARGIN].map(Math.ceil);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("viewBox", `0 0 ${w} ${h}`);
  copy.setAttribute("width", w);
  copy.setAttribute("height", h);
  copy.lastChild.setAttribute("transform", `translate(${MARGIN} ${MARGIN})`);
  const ground = document.createElementNS(copy.namespaceURI, "rect");
  for (const [name, value] of [["width", w], ["height", h], ["fill", background]]) {
    ground.setAttribute(name, value);
  }
  copy.prepend(ground);
  return { text: new XMLSerializer().serializeToString(copy), width: w, height: h };
}

/** The whole picture as a PNG, twice as large as on the screen where that is not too much. */
export async function asPng(drawing, background) {
  const { text, width, height } = asSvg(drawing, background);
  const scale = Math.min(2, MOST_SIDE / Math.max(width, height),
    Math.sqrt(MOST_PIXELS / (width * height)));
  const address = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.floor(width * scale));
    canvas.height = Math.max(1, Math.floor(height * scale));
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      canvas.toBlob((made) => (made ? resolve(made) : reject(new Error("PNG"))), "image/png");
    });
  } finally {
    URL.revokeObjectURL(address);
  }
}
