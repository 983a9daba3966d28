// Histograms: how values were spread at each step; one card for each tag and run.
import { el, fill } from "../dom.js";
import { number, time } from "../format.js";
import { Reading } from "../reading.js";
import { TagCard, TagPage, fileName, withTagWords } from "../tag_page.js";
import { Drawing } from "./histogram_chart.js";

export const words = withTagWords({
  en: {
    mode: "Mode", offset: "Offset", overlay: "Overlay", height: "Height", count: "Count",
    density: "Density", most: "Max. steps", value: "Value", share: "Share", of: "{0} … {1}",
    records: "{0} steps", noBins: "The records hold no values that can be drawn.",
    chartOf: "Histograms of {0}, {1}. Left and right read the bins, up and down the steps.",
  },
  zh: {
    mode: "模式", offset: "错开", overlay: "重叠", height: "高度", count: "频次",
    density: "密度", most: "最多步数", value: "数值", share: "占比", of: "{0} … {1}",
    records: "共 {0} 步", noBins: "记录中没有可绘制的数值。",
    chartOf: "{0} 的直方图，{1}。左右键读区间，上下键换步。",
  },
});
export const styles = ["css/scalar.css", "css/spread.css"];
export const usesRuns = true;

const DEFAULTS = { mode: "offset", axis: "step", height: "count", most: "60" };

/** Opens the page. */
export async function open(root, board) {
  const view = {};
  for (const [key, value] of Object.entries(DEFAULTS)) view[key] = board.state.get(key, value);
  const t = board.t;
  const change = (key, call) => (value) => {
    view[key] = value;
    board.state.set(key, value, DEFAULTS[key]);
    call(page);
  };
  const redraw = (one) => one.redraw();
  const names = (...keys) => keys.map((key) => [key, t(key)]);
  const axis = board.segmented(t("axis"), names("step", "relative", "wall"), view.axis,
    change("axis", redraw));
  axis.hidden = view.mode !== "offset";
  const page = new TagPage(root, board, {
    kinds: () => ["histogram"], single: true,
    make: (item, self) => new HistogramCard(item, self, view),
    controls: [
      board.segmented(t("mode"), names("offset", "overlay"), view.mode, change("mode", (one) => {
        axis.hidden = view.mode !== "offset";
        one.redraw();
      })),
      axis,
      board.select(t("height"), names("count", "density"), view.height, change("height", redraw)),
      board.select(t("most"), ["20", "60", "150", "400"].map((value) => [value, value]), view.most,
        change("most", (one) => {
          for (const card of one.grid.cards.values()) card.stale(card.item.runs);
        })),
    ],
  });
  page.list();
  return page;
}

class HistogramCard extends TagCard {
  constructor(item, page, view) {
    const t = page.board.t;
    const run = item.runs[0];
    const plot = el("div", {
      class: "plot", tabIndex: 0, role: "group",
      "aria-label": t("chartOf", item.tag, page.board.label(run)),
    });
    const caption = el("bdi", {});
    const name = el("span", { class: "card-run", title: run }, el("span", { class: "swatch" }),
      caption);
    super(item, page, {
      name, body: plot,
      actions: [page.board.iconButton("download", t("png"), () => this.#save())],
    });
    Object.assign(this, { view, run, caption, plot });
    this.element.classList.add("spread-card");
    this.element.dataset.run = run;
    this.drawing = new Drawing(this.board, run, view);
    this.reading = new Reading(plot, this);
  }

  get label() {
    return this.board.label(this.run);
  }

  async read(run, signal) {
    const list = await this.board.get("histogram/list",
      { run, tag: this.item.tag, points: this.view.most }, { signal });
    return list.map(([ms, step, bins]) => ({ ms, step, bins }));
  }

  show() {
    if (!this.chart) this.chart = this.board.chart(this.plot, {});
    super.show();
  }

  hide() {
    super.hide();
    this.reading.hide();
    this.chart?.dispose();
    this.chart = null;
  }

  draw() {
    this.element.style.setProperty("--run", this.board.color(this.run));
    fill(this.caption, this.label);
    if (!this.chart) return;
    const records = this.data.get(this.run);
    if (!records) return;
    this.drawing.set(records);
    const empty = records.length > 0 && this.drawing.rows.length === 0;
    if (empty) this.status.textContent = this.board.t("noBins");
    this.chart.set(this.drawing.option(), { whole: true });
    this.reading.redraw();
  }

  // What the pointer and the keys read; a place is {row, bin}.

  near(x, y) {
    return this.drawing.near(this.chart?.echarts, x, y);
  }

  walk(at, key) {
    return this.drawing.walk(at, key);
  }

  tell(at) {
    const found = this.drawing.place(this.chart?.echarts, at);
    if (!found) return null;
    const { t } = this.board;
    const { row, bin: [left, right, count] } = found;
    return {
      ...found, head: `${t("step")} ${row.step}`, color: this.board.color(this.run),
      rows: [[t("value"), t("of", number(left), number(right))], [t("count"), number(count, 9)],
        [t("share"), row.total > 0 ? `${number((100 * count) / row.total, 3)} %` : "–"],
        [t("time"), time(row.ms)]],
    };
  }

  #save() {
    const { variable } = this.board;
    const address = this.chart?.image({
      title: { text: this.item.tag, subtext: this.label, left: 12, top: 6, itemGap: 3,
        textStyle: { fontSize: 14, color: variable("--text") } },
      grid: { ...this.drawing.option().grid, top: 56 },
    });
    if (address) {
      this.board.download(`${fileName(this.item.tag)}-${fileName(this.label)}.png`, address);
    }
  }

  shown() {
    return {
      mode: this.view.mode, rows: (this.data.get(this.run) ?? []),
      drawn: this.drawing.rows.map((row) => row.step),
      option: this.chart?.echarts?.getOption() ?? null,
    };
  }
}
