// Images: one card a tag, the runs side by side, a slider over the steps.
import { el, fill } from "../dom.js";
import { Blobs, openSamples, saveName, sampleWords } from "../samples.js";

export const words = sampleWords({
  en: {
    size: "Size", sharp: "Sharp pixels", saveImage: "Save this image ({0})",
    imageOf: "{0}, {1}, step {2}", brokenImage: "This record holds no image that can be shown.",
    pixels: "{0} × {1}",
  },
  zh: {
    size: "大小", sharp: "显示像素", saveImage: "保存此图像（{0}）",
    imageOf: "{0}，{1}，第 {2} 步", brokenImage: "此记录中没有可显示的图像。",
    pixels: "{0} × {1}",
  },
});
export const styles = ["css/scalar.css", "css/samples.css"];
export const usesRuns = true;

// Two stand side by side on a narrow screen.
const SIZE = matchMedia("(max-width: 520px)").matches ? 130 : 180;

/** Opens the page. */
export async function open(root, board) {
  const blobs = new Blobs(board, "image/image", 96 << 20);
  const dress = () => {
    root.style.setProperty("--sample", `${board.state.get("size", SIZE)}px`);
    root.classList.toggle("sharp", board.state.get("sharp", true));
  };
  const change = (key, fallback) => (value) => {
    board.state.set(key, value, fallback);
    dress();
  };
  dress();
  return openSamples(root, board, {
    kind: "image",
    controls: [
      board.slider(board.t("size"), { min: 60, max: 640, step: 10,
        value: board.state.get("size", SIZE) }, change("size", SIZE)),
      board.toggle(board.t("sharp"), board.state.get("sharp", true), change("sharp", true)),
    ],
    panel: (place) => new ImagePanel(board, blobs, place),
  });
}

/** One run's image of a tag. */
class ImagePanel {
  constructor(board, blobs, { run, name, tag }) {
    Object.assign(this, { board, blobs, run, name, tag, address: null });
    this.image = el("img", { alt: "" });
    this.image.hidden = true;
    this.note = el("p", { class: "muted", hidden: true });
    this.info = el("span", { class: "muted" });
    this.save = board.iconButton("download", board.t("saveImage", name), () => this.#save());
    this.element = el("div", { class: "sample-image" }, this.image, this.note);
    this.image.addEventListener("load", () => {
      const { naturalWidth: width, naturalHeight: height } = this.image;
      fill(this.info, board.t("pixels", width, height));
      // What is smaller than its place is drawn larger, as squares where that is wanted.
      this.image.classList.toggle("small", width < 512 && height < 512);
      this.#tell({ width, height, shown: true });
    });
    this.image.addEventListener("error", () => this.image.src && this.#broken());
  }

  /** Shows the record at `index`; its bytes come from the server. */
  async show(record, index, signal) {
    this.record = record;
    this.index = index;
    const blob = await this.blobs.get(this.run, this.tag, index, record.ms, signal);
    if (signal.aborted) return;
    this.blob = blob;
    this.note.hidden = true;
    this.image.hidden = false;
    this.image.alt = this.board.t("imageOf", this.tag, this.name, record.step);
    const old = this.address;
    this.address = URL.createObjectURL(blob);
    this.image.src = this.address;
    if (old) URL.revokeObjectURL(old);
  }

  #broken() {
    this.image.hidden = true;
    this.note.hidden = false;
    fill(this.note, this.board.t("brokenImage"));
    this.#tell({ shown: false });
  }

  #tell(what) {
    this.seen = { index: this.index, step: this.record?.step, bytes: this.blob?.size, ...what };
  }

  #save() {
    if (this.blob) this.board.download(saveName(this, "png"), this.blob);
  }

  get actions() {
    return [this.save];
  }

  close() {
    if (this.address) URL.revokeObjectURL(this.address);
  }
}
