// Precision against recall, and ROC: a chart for each tag with the curves of the runs at a step.
import { el, fill } from "../dom.js";
import { number, time } from "../format.js";
import { Reading } from "../reading.js";
import { AXES, Steps, placeSlider, placeText } from "../steps.js";
import { TagCard, TagPage, fileName, withTagWords } from "../tag_page.js";
import { areaUnder, curveOf, optionOf } from "./curves_chart.js";

export const words = withTagWords({
  en: {
    kind: "Show", both: "Both", pr_curve: "PR", roc_curve: "ROC", own: "A slider for each run",
    precision: "Precision", recall: "Recall", tpr: "True positive rate", fpr: "False positive rate",
    threshold: "Threshold", TP: "True positive", FP: "False positive", TN: "True negative",
    FN: "False negative", area_pr_curve: "Average precision", area_roc_curve: "Area",
    area_pr_short: "AP", area_roc_short: "AUC", stepRun: "{0} of {1}",
    chartOf: "{0} of {1}. Left and right read the points, up and down change the run.",
    nothingYet: "nothing up to here",
  },
  zh: {
    kind: "显示", both: "全部", pr_curve: "PR", roc_curve: "ROC", own: "每个实验单独选择",
    precision: "精确率", recall: "召回率", tpr: "真正率", fpr: "假正率",
    threshold: "阈值", TP: "真正例", FP: "假正例", TN: "真负例", FN: "假负例",
    area_pr_curve: "平均精度", area_roc_curve: "曲线下面积", area_pr_short: "AP",
    area_roc_short: "AUC", stepRun: "{1} 的{0}",
    chartOf: "{1} 的 {0} 曲线。左右键读点，上下键换实验。", nothingYet: "到此为止没有数据",
  },
});
export const styles = ["css/scalar.css", "css/samples.css", "css/spread.css"];
export const usesRuns = true;

const KINDS = ["pr_curve", "roc_curve"];

/** Opens the page. */
export async function open(root, board) {
  const t = board.t;
  const view = {
    kind: board.state.get("kind", "both"), axis: board.state.get("axis", "step"),
    own: board.state.get("own", false),
  };
  if (!AXES.includes(view.axis)) view.axis = "step";
  const change = (key, fallback, call) => (value) => {
    view[key] = value;
    board.state.set(key, value, fallback);
    call(page);
  };
  const redraw = (one) => one.redraw();
  const page = new TagPage(root, board, {
    kinds: () => KINDS.filter((kind) => view.kind === "both" || view.kind === kind),
    make: (item, self) => new CurveCard(item, self, view),
    controls: [
      board.segmented(t("kind"), ["both", ...KINDS].map((kind) => [kind, t(kind)]), view.kind,
        change("kind", "both", (one) => one.list())),
      board.segmented(t("axis"), AXES.map((axis) => [axis, t(axis)]), view.axis,
        change("axis", "step", redraw)),
      board.toggle(t("own"), view.own, change("own", false, redraw)),
    ],
  });
  page.list();
  return page;
}

class CurveCard extends TagCard {
  constructor(item, page, view) {
    const t = page.board.t;
    const plot = el("div", {
      class: "plot", tabIndex: 0, role: "group", "aria-label": t("chartOf", t(item.kind), item.tag),
    });
    const slider = placeSlider(t(view.axis), { back: t("back"), on: t("on") },
      (at) => this.#move(null, at));
    const legend = el("div", { class: "curve-runs" });
    super(item, page, {
      name: el("span", { class: "badge kind" }, t(item.kind)), body: [plot, slider, legend],
      actions: [page.board.iconButton("download", t("png"), () => this.#save())],
    });
    Object.assign(this, { view, plot, slider, legend, lines: [] });
    this.element.classList.add("spread-card", "curve-card");
    this.element.dataset.kind = item.kind;
    this.steps = new Steps(view.axis);
    this.place = null; // null follows the newest
    this.places = new Map(); // the same for each run by itself
    this.rows = new Map();
    this.reading = new Reading(plot, this);
  }

  async read(run, signal) {
    const route = `${this.item.kind.replace("_", "-")}/list`;
    const list = await this.board.get(route, { run, tag: this.item.tag }, { signal });
    return list.map((row) => curveOf(row));
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

  #move(run, at) {
    const { places } = run === null ? this.steps : this.rows.get(run).steps;
    const place = at >= places.length - 1 ? null : places[at];
    if (run === null) this.place = place;
    else this.places.set(run, place);
    this.#drawCurves();
  }

  draw() {
    const { axis } = this.view;
    if (axis !== this.steps.axis) {
      // A place on another axis has no meaning: the newest again.
      this.place = null;
      this.places.clear();
    }
    const there = this.item.runs.filter((run) => this.data.has(run));
    this.steps.setAxis(axis);
    this.steps.keep((run) => there.includes(run));
    for (const run of there) {
      if (this.steps.runs.get(run)?.records !== this.data.get(run)) {
        this.steps.setRun(run, this.data.get(run));
      }
    }
    for (const [run, row] of this.rows) {
      if (there.includes(run)) continue;
      row.node.remove();
      this.rows.delete(run);
    }
    there.forEach((run, at) => {
      const { node } = this.#row(run);
      const before = this.legend.children[at];
      if (before !== node) this.legend.insertBefore(node, before);
    });
    this.#drawCurves();
  }

  /** The line of a run below the chart: what is shown of it, and its own slider. */
  #row(run) {
    if (!this.rows.has(run)) {
      const t = this.board.t;
      const name = this.board.label(run);
      const caption = el("bdi", {});
      const [step, area] = ["curve-step", "curve-area"].map((name) => el("span", { class: name }));
      const slider = placeSlider(t("stepRun", t(this.view.axis), name),
        { back: t("back"), on: t("on") }, (at) => this.#move(run, at));
      const node = el("div", { class: "curve-run", dataset: { run } },
        el("span", { class: "swatch" }),
        el("span", { class: "sample-run", title: run }, caption), step, area, slider);
      this.rows.set(run, { node, caption, step, area, slider, steps: new Steps(this.view.axis) });
    }
    const row = this.rows.get(run);
    fill(row.caption, this.board.label(run));
    row.steps.setAxis(this.view.axis);
    const records = this.data.get(run);
    if (row.steps.runs.get(run)?.records !== records) row.steps.setRun(run, records);
    return row;
  }

  #drawCurves() {
    const { axis, own } = this.view;
    const t = this.board.t;
    const common = standing(this.steps, this.place);
    this.slider.hidden = own || this.steps.places.length === 0;
    this.slider.show(this.steps.places.length, common.at, common.text(axis), t(axis));
    this.lines = [];
    for (const run of this.item.runs) {
      const row = this.rows.get(run);
      if (!row) continue;
      const mine = own ? standing(row.steps, this.places.get(run) ?? null) : common;
      const index = (own ? row.steps : this.steps).at(run, mine.place);
      const curve = this.data.get(run)[index];
      const color = this.board.color(run);
      row.slider.hidden = !own;
      row.slider.show(row.steps.places.length, mine.at, mine.text(axis),
        t("stepRun", t(axis), this.board.label(run)));
      row.node.style.setProperty("--run", color);
      fill(row.step, curve ? `${t("step")} ${curve.step}` : t("nothingYet"));
      row.step.title = curve ? time(curve.ms) : "";
      fill(row.area, curve ? this.#area(curve) : "");
      if (curve) this.lines.push({ run, color, index, curve });
    }
    this.chart?.set(optionOf(this.lines, this.item.kind, t), { whole: true });
    this.reading.redraw();
  }

  #area(curve) {
    const short = this.item.kind === "pr_curve" ? "area_pr_short" : "area_roc_short";
    const area = areaUnder(curve, this.item.kind);
    return el("span", { title: this.board.t(`area_${this.item.kind}`) },
      `${this.board.t(short)} ${Number.isFinite(area) ? area.toFixed(4) : "–"}`);
  }

  // What the pointer and the keys read; a place is {run, at}.

  #pixel(curve, at) {
    const echarts = this.chart?.echarts;
    if (!echarts || echarts.isDisposed()) return null;
    return echarts.convertToPixel({ xAxisIndex: 0, yAxisIndex: 0 }, [curve.x[at], curve.y[at]]);
  }

  near(x, y) {
    let best = null;
    let least = Infinity;
    for (const { run, curve } of this.lines) {
      for (let at = 0; at < curve.x.length; at += 1) {
        const pixel = this.#pixel(curve, at);
        if (!pixel) return null;
        const distance = Math.hypot(pixel[0] - x, pixel[1] - y);
        if (distance < least) {
          least = distance;
          best = { run, at };
        }
      }
    }
    return best;
  }

  walk(place, key) {
    if (this.lines.length === 0) return null;
    const now = this.lines.findIndex((one) => one.run === place?.run);
    if (now < 0) return { run: this.lines[0].run, at: 0 };
    const by = { ArrowUp: -1, ArrowDown: 1 }[key] ?? 0;
    const to = Math.min(this.lines.length - 1, Math.max(0, now + by));
    const end = this.lines[to].curve.x.length - 1;
    const at = key === "Home" ? 0 : key === "End" ? end
      : place.at + ({ ArrowLeft: -1, ArrowRight: 1 }[key] ?? 0);
    return { run: this.lines[to].run, at: Math.min(end, Math.max(0, at)) };
  }

  tell({ run, at }) {
    const found = this.lines.find((one) => one.run === run);
    const pixel = found && at < found.curve.x.length ? this.#pixel(found.curve, at) : null;
    if (!pixel || !pixel.every(Number.isFinite)) return null;
    const { t } = this.board;
    const { curve, color } = found;
    const [yName, xName] = this.item.kind === "pr_curve" ? ["precision", "recall"] : ["tpr", "fpr"];
    const counts = ["TP", "FP", "TN", "FN"].map((name) => [`${t(name)} (${name})`,
      number(curve[name][at], 9)]);
    return {
      pixel, color, head: `${this.board.label(run)} · ${t("step")} ${curve.step}`,
      rows: [[t("threshold"), number(curve.threshold[at], 4)], [t(yName), number(curve.y[at], 4)],
        [t(xName), number(curve.x[at], 4)], ...counts, [t("time"), time(curve.ms)]],
    };
  }

  #save() {
    const { variable } = this.board;
    const address = this.chart?.image({
      title: { text: this.item.tag, left: 12, top: 8,
        textStyle: { fontSize: 14, color: variable("--text") } },
      legend: { data: this.lines.map((one) => one.run), bottom: 6, itemWidth: 14,
        formatter: (run) => this.#legendText(run), textStyle: { color: variable("--text") } },
      grid: { top: 44, bottom: 40 + 22 * Math.ceil(this.lines.length / 3), left: 24, right: 24 },
    });
    if (address) this.board.download(`${fileName(this.item.tag)}-${this.item.kind}.png`, address);
  }

  #legendText(run) {
    const found = this.lines.find((one) => one.run === run);
    const name = this.board.label(run);
    return found ? `${name} (${this.board.t("step")} ${found.curve.step})` : name;
  }

  shown() {
    const runs = this.lines.map(({ run, index, curve }) => [run, { index, ...curve }]);
    return {
      kind: this.item.kind, at: Number(this.slider.range.value),
      places: this.steps.places.map((place) => place.value), runs: Object.fromEntries(runs),
      option: this.chart?.echarts?.getOption() ?? null,
    };
  }
}

/** Where a slider stands: at a place, or for null at the newest. */
function standing(steps, wanted) {
  const at = Math.max(0, wanted ? steps.near(wanted) : steps.places.length - 1);
  const place = steps.places[at] ?? null;
  return { at, place, text: (axis) => (place ? placeText(axis, place) : "") };
}
