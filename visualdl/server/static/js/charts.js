// ECharts behind a small interface: loaded once, dressed in the theme, sized with its element.
import { el } from "./dom.js";
import * as i18n from "./i18n.js";
import { variable } from "./theme.js";

const here = new URL("../vendor/", import.meta.url);
const scripts = new Map();
const alive = new Set();

/** Loads a library of vendor/ that is a plain script; the same promise for each call. */
export function loadScript(file) {
  if (!scripts.has(file)) {
    scripts.set(file, new Promise((resolve, reject) => {
      const node = el("script", { src: new URL(file, here).href });
      node.onload = resolve;
      node.onerror = () => {
        scripts.delete(file);
        reject(new Error(`${file} could not be loaded`));
      };
      document.head.append(node);
    }));
  }
  return scripts.get(file);
}

/** Loads ECharts and gives the library. */
export async function library() {
  await loadScript("echarts.min.js");
  return globalThis.echarts;
}

/** The colours of the theme as ECharts wants them. */
export function themeOption() {
  const [text, muted, line, panel] = ["--text", "--muted", "--line", "--panel"].map(variable);
  const axis = {
    axisLine: { lineStyle: { color: line } }, axisTick: { lineStyle: { color: line } },
    axisLabel: { color: muted }, splitLine: { lineStyle: { color: line } },
    nameTextStyle: { color: muted }, minorSplitLine: { lineStyle: { color: line } },
  };
  const font = getComputedStyle(document.body).fontFamily;
  return {
    textStyle: { color: text, fontFamily: font }, backgroundColor: "transparent",
    title: { textStyle: { color: text }, subtextStyle: { color: muted } },
    legend: { textStyle: { color: text }, pageTextStyle: { color: text } },
    valueAxis: axis, logAxis: axis, timeAxis: axis, categoryAxis: axis,
    parallel: { parallelAxisDefault: axis },
    visualMap: { textStyle: { color: muted } },
    tooltip: {
      backgroundColor: panel, borderColor: line, textStyle: { color: text, fontSize: 12 },
      axisPointer: { lineStyle: { color: muted }, crossStyle: { color: muted } },
    },
  };
}

/**
 * Draws a chart into an element.
 *
 * @param {HTMLElement} element It has to have a size; the chart follows it.
 * @param {Object} option What ECharts calls its option.
 * @param {{renderer?: "canvas"|"svg"}} [how] What it is drawn with.
 * @returns {{set, resize, dispose, image, on, ready, echarts}} `set(option, {replace})` changes it
 *   (`replace` a component such as ["series"] whole), `image(option?)` gives a PNG as a data
 *   address, `on(event, call)` listens, `ready` is a promise of ECharts's own object, which is
 *   `echarts` from then on.
 */
export function chart(element, option, { renderer = "canvas" } = {}) {
  const handle = { echarts: null, pending: [[option, {}]], listeners: [], gone: false };
  const send = ([what, { replace = [], whole = false } = {}]) =>
    handle.echarts.setOption(what, { replaceMerge: replace, notMerge: whole });
  const observer = new ResizeObserver(() => api.resize());

  async function begin() {
    const echarts = await library();
    if (handle.gone) return null;
    handle.echarts = echarts.init(element, themeOption(), {
      renderer, locale: i18n.current() === "zh" ? "ZH" : "EN",
    });
    handle.pending.splice(0).forEach(send);
    for (const [event, call] of handle.listeners) handle.echarts.on(event, call);
    observer.observe(element);
    return handle.echarts;
  }

  const api = {
    set(what, how) {
      if (handle.echarts) send([what, how]);
      else handle.pending.push([what, how]);
    },
    resize() {
      const drawn = handle.echarts;
      if (!drawn || drawn.isDisposed()) return;
      const { clientWidth: width, clientHeight: height } = element;
      if (!width || !height || (drawn.getWidth() === width && drawn.getHeight() === height)) return;
      drawn.resize({ animation: { duration: 0 } });
    },
    dispose() {
      handle.gone = true;
      observer.disconnect();
      alive.delete(api);
      if (handle.echarts && !handle.echarts.isDisposed()) handle.echarts.dispose();
    },
    image: (extra = {}) => picture(handle.echarts, extra),
    on(event, call) {
      handle.listeners.push([event, call]);
      handle.echarts?.on(event, call);
    },
    dress: () => handle.echarts?.setTheme(themeOption()),
    get echarts() {
      return handle.echarts;
    },
    ready: null,
  };
  alive.add(api);
  api.ready = begin();
  api.ready.catch((error) => console.error(error));
  return api;
}

/** A PNG of the chart with its background; `extra` (a title, a legend) is in the picture only. */
function picture(drawn, extra) {
  if (!drawn) return null;
  const how = { type: "png", pixelRatio: 2, backgroundColor: variable("--panel") };
  if (Object.keys(extra).length === 0 || drawn.getModel().getSeries().length === 0) {
    return drawn.getDataURL(how);
  }
  const place = el("div", {
    style: { position: "fixed", left: "-9999px", width: `${Math.max(640, drawn.getWidth())}px`,
      height: `${Math.max(400, drawn.getHeight())}px` },
  });
  document.body.append(place);
  const copy = globalThis.echarts.init(place, themeOption());
  copy.setOption({ ...drawn.getOption(), animation: false, toolbox: [], tooltip: [] });
  copy.setOption({ ...extra, animation: false });
  const address = copy.getDataURL(how);
  copy.dispose();
  place.remove();
  return address;
}

/** Dresses all charts in the theme as it is now. */
export function dressAll() {
  for (const one of alive) one.dress();
}

/** How many charts are alive. */
export const count = () => alive.size;
