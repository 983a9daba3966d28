// Texts: Markdown without any HTML, one card a tag, the runs side by side, a slider over steps.
import { el, fill } from "../dom.js";
import { markdown } from "../markdown.js";
import { Blobs, openSamples, saveName, sampleWords } from "../samples.js";

export const words = sampleWords({
  en: {
    form: "Show as", markdown: "Markdown", plain: "Plain text", saveText: "Save this text ({0})",
    textOf: "{0}, {1}", cut: "{0} more characters", showAll: "Show all",
  },
  zh: {
    form: "显示为", markdown: "Markdown", plain: "纯文本", saveText: "保存此文本（{0}）",
    textOf: "{0}，{1}", cut: "还有 {0} 个字符", showAll: "全部显示",
  },
});
export const styles = ["css/scalar.css", "css/samples.css"];
export const usesRuns = true;

// Longer texts are cut until the reader asks for all; the parser of Markdown takes its time.
const MOST = 60000;
const MOST_MARKDOWN = 400000;

/** Opens the page. */
export async function open(root, board) {
  const blobs = new Blobs(board, "text/text", 32 << 20);
  const page = openSamples(root, board, {
    kind: "text",
    controls: [board.segmented(board.t("form"),
      [["markdown", board.t("markdown")], ["plain", board.t("plain")]],
      board.state.get("form", "markdown"), (form) => {
        board.state.set("form", form, "markdown");
        page.panels((panel) => panel.draw());
      })],
    panel: (place) => new TextPanel(board, blobs, place),
  });
  return page;
}

/** One run's text of a tag. */
class TextPanel {
  constructor(board, blobs, { run, name, tag }) {
    Object.assign(this, { board, blobs, run, name, tag, text: null });
    this.body = el("div", {
      class: "sample-text", tabIndex: 0, role: "region",
      "aria-label": board.t("textOf", tag, name),
    });
    this.element = this.body;
    this.actions = [
      board.iconButton("download", board.t("saveText", name), () => this.#save()),
    ];
  }

  /** Shows the record at `index`. */
  async show(record, index, signal) {
    const blob = await this.blobs.get(this.run, this.tag, index, record.ms, signal);
    const text = await blob.text();
    if (signal.aborted) return;
    Object.assign(this, { record, index, text, blob, whole: false });
    this.draw();
  }

  draw() {
    if (this.text === null) return;
    const all = this.whole || this.text.length <= MOST;
    const text = all ? this.text : this.text.slice(0, MOST);
    const asMarkdown = this.board.state.get("form", "markdown") === "markdown"
      && text.length <= MOST_MARKDOWN;
    this.body.classList.toggle("plain", !asMarkdown);
    fill(this.body, asMarkdown ? markdown(text) : text, all ? null : this.#more());
    this.seen = { index: this.index, step: this.record.step, text: this.text };
  }

  #more() {
    const rest = (this.text.length - MOST).toLocaleString();
    return el("p", { class: "muted" }, `${this.board.t("cut", rest)} `,
      this.board.button(this.board.t("showAll"), () => {
        this.whole = true;
        this.draw();
      }));
  }

  #save() {
    if (this.blob) this.board.download(saveName(this, "md"), this.blob);
  }

  close() {}
}
