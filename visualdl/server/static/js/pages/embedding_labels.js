// Puts labels beside points where there is room, the important ones first.

const MOST = 160;
const TRIED = 4000;
const LONGEST = 30;

/** A label as it is drawn: one line, not too long. */
export function short(text, longest = LONGEST) {
  const line = text.replace(/\s+/gu, " ").trim();
  const letters = Array.from(line.slice(0, 4 * longest));
  return letters.length > longest ? `${letters.slice(0, longest - 1).join("")}…` : line;
}

/**
 * Draws labels of marked points, and of the others where `scene.labelled` is true.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {Object} scene See js/pages/embedding_scene.js.
 * @param {number[]} marked Points, the most important last.
 */
export function drawLabels(context, scene, marked) {
  const { space, colors } = scene;
  const family = getComputedStyle(scene.place).fontFamily;
  const taken = new Rooms(space.width, space.height);
  context.globalAlpha = 1;
  context.lineJoin = "round";
  context.textAlign = "left";
  context.textBaseline = "middle";
  scene.labels = [];
  const put = (at, strong) => {
    const [x, y] = [space.x[at], space.y[at]];
    if (x < 0 || y < 0 || x > space.width || y > space.height) return;
    const text = short(scene.label(at));
    if (!text) return;
    context.font = `${strong ? "600 12px" : "11px"} ${family}`;
    const width = context.measureText(text).width + 4;
    const away = scene.radius() * space.size[at] + 4;
    const left = [x + away, x - away - width, x - width / 2, x - width / 2];
    const top = [y - 8, y - 8, y - away - 15, y + away];
    const free = left.findIndex((one, place) => taken.take(one, top[place], width, 15));
    if (free < 0) return;
    context.lineWidth = 3;
    context.strokeStyle = colors.panel;
    context.strokeText(text, left[free] + 2, top[free] + 8);
    context.fillStyle = colors.text;
    context.fillText(text, left[free] + 2, top[free] + 8);
    scene.labels.push(at);
  };
  for (const at of [...marked].reverse().slice(0, TRIED)) {
    if (scene.labels.length < MOST) put(at, true);
  }
  if (!scene.labelled) return;
  // spread over all points, so that labels do not stand only where the first points are
  const step = Math.max(1, Math.floor(space.count / TRIED));
  for (let turn = space.count - 1; turn >= 0 && scene.labels.length < MOST; turn -= step) {
    const at = space.order[turn];
    if (!scene.marks[at] && scene.shown(at)) put(at, false);
  }
}

/** Which parts of the picture have a label already. */
class Rooms {
  constructor(width, height) {
    Object.assign(this, { width, height, boxes: [] });
  }

  take(left, top, width, height) {
    if (left < 0 || left + width > this.width) return false;
    if (top < 0 || top + height > this.height) return false;
    for (const [x, y, w, h] of this.boxes) {
      if (left < x + w && x < left + width && top < y + h && y < top + height) return false;
    }
    this.boxes.push([left, top, width, height]);
    return true;
  }
}
