// The part beside the picture that sets and drives the projection: PCA, t-SNE or UMAP.
import { el, fill } from "../dom.js";
import { number } from "../format.js";

export const METHODS = ["pca", "tsne", "umap"];

/** Settings of each method: [least, most, step, what it is unless the reader says otherwise]. */
const FIELDS = {
  tsne: { perplexity: [2, 200, 1, 30], steps: [50, 5000, 50, 500] },
  umap: {
    neighborCount: [2, 200, 1, 15], minDist: [0, 0.99, 0.01, 0.1], steps: [50, 2000, 50, 300],
  },
};
const MOST = { tsne: [500, 1000, 2000, 4000], umap: [1000, 2000, 5000, 10000] };
const MOST_FIRST = { tsne: 2000, umap: 5000 };

/**
 * Fields and buttons of the projection. `onStart()` is called when the reader wants it computed
 * (again); `runner` is the Runner it tells about.
 */
export class MethodPart {
  constructor(board, runner, onStart) {
    Object.assign(this, {
      board, runner, onStart, method: "pca", shares: null, fresh: false, problem: "",
    });
    this.fields = el("div", { class: "embedding-fields" });
    this.progress = el("progress", { max: 1, "aria-label": board.t("layout") });
    this.status = el("p", { class: "embedding-status" });
    this.buttons = el("div", { class: "embedding-buttons" });
    this.note = el("p", { class: "muted", role: "status" });
    this.element = el("section", { class: "card embedding-part", "aria-label": board.t("layout") },
      el("h3", {}, board.t("layout")), this.fields, this.progress, this.status, this.note,
      this.buttons);
    const button = (key, kind, call) => {
      const made = board.button(board.t(key), call, { kind });
      made.dataset.do = key;
      return made;
    };
    this.pause = button("pause", "", () => runner.pause());
    this.resume = button("resume", "primary", () => runner.resume());
    this.stop = button("stop", "", () => runner.stop());
    this.again = button("again", "", () => this.onStart());
    this.buttons.append(this.pause, this.resume, this.stop, this.again);
  }

  /** Shows the settings of a method; `shares` of the variance are what PCA's directions hold. */
  setData(method, shares) {
    const { board } = this;
    const t = board.t;
    this.shares = shares;
    if (method === this.method) {
      this.show();
      return;
    }
    this.method = method;
    fill(this.fields);
    if (method !== "pca") {
      for (const [key, limits] of Object.entries(FIELDS[method])) {
        this.fields.append(this.#field(key, limits));
      }
      this.fields.append(
        board.select(t("most"), MOST[method].map((one) => [String(one), number(one)]),
          String(this.most), (value) => board.state.set(`${method}.most`, Number(value))),
        board.select(t("metric"), ["euclidean", "cosine"].map((one) => [one, t(one)]), this.metric,
          (value) => board.state.set("by", value, "euclidean")));
    }
    this.show();
  }

  #field(key, [min, max, step, first]) {
    const { board, method } = this;
    const input = el("input", {
      type: "number", min, max, step, "aria-label": board.t(key), value: this.#value(key),
      onchange: () => {
        const typed = Number(input.value);
        const whole = step >= 1 ? Math.round(typed) : typed;
        const value = input.value === "" || Number.isNaN(typed) ? first
          : Math.min(max, Math.max(min, whole));
        input.value = value;
        board.state.set(`${method}.${key}`, value, first);
      },
    });
    return el("label", { class: "control" }, el("span", {}, board.t(key)), input);
  }

  #value(key) {
    const [min, max, , first] = FIELDS[this.method][key];
    const value = this.board.state.get(`${this.method}.${key}`, first);
    return value >= min && value <= max ? value : first;
  }

  /** How many points go into the computation at most. */
  get most() {
    const wanted = this.board.state.get(`${this.method}.most`, MOST_FIRST[this.method]);
    return MOST[this.method].includes(wanted) ? wanted : MOST_FIRST[this.method];
  }

  get metric() {
    return this.board.state.get("by", "euclidean") === "cosine" ? "cosine" : "euclidean";
  }

  /** The settings as the workers want them. */
  get settings() {
    const value = (key) => this.#value(key);
    if (this.method === "tsne") return { perplexity: value("perplexity"), steps: value("steps") };
    return { neighbors: value("neighborCount"), minDist: value("minDist"), steps: value("steps") };
  }

  /** Brings buttons and progress up to date with the runner. */
  show() {
    const { board, runner, method } = this;
    const t = board.t;
    const computed = method !== "pca";
    const { state, step, steps } = runner;
    this.fields.hidden = !computed;
    this.progress.hidden = !computed || (!runner.busy && state !== "stopped" && state !== "done");
    if (steps) this.progress.value = step / steps;
    else this.progress.removeAttribute("value");
    this.buttons.hidden = !computed;
    const focused = this.buttons.contains(document.activeElement);
    this.pause.hidden = !runner.busy || state === "paused";
    this.resume.hidden = state !== "paused";
    this.stop.hidden = !runner.busy;
    fill(this.again, t(state === "idle" ? "start" : "again"));
    this.again.classList.toggle("primary", this.fresh);
    if (focused && document.activeElement?.hidden !== false) {
      [...this.buttons.children].find((one) => !one.hidden)?.focus();
    }
    if (!computed) {
      const held = (this.shares ?? []).reduce((sum, share) => sum + share, 0);
      fill(this.status, this.shares ? t("held", number(100 * held, 3)) : "");
    } else {
      const cost = runner.cost === null ? "" : ` · ${t("cost", number(runner.cost, 4))}`;
      const text = state === "failed" ? t("failed", this.problem)
        : t(state === "paused" && !steps ? "preparing" : state, step, steps) + cost;
      fill(this.status, text);
    }
    fill(this.note, this.fresh && computed ? t("fresh") : "");
    this.note.hidden = !this.fresh || !computed;
  }
}
