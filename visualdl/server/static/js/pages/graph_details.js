// The panel beside the graph: facts of the model, of a group, of a node.
import { el, fill } from "../dom.js";
import { iconButton, textButton } from "../controls.js";
import { familyOf, number, shapeText } from "./graph_model.js";
import { isInternal } from "./graph_draw.js";

const MOST = 60; // rows of a list; the rest is counted

/**
 * Fills the panel.
 *
 * @param {HTMLElement} panel
 * @param {GraphModel} model
 * @param {string} key What is selected; "": nothing.
 * @param {{t: Function, go: Function, fold: Function, unfoldInside: Function, close: Function}} of
 */
export function showDetails(panel, model, key, of) {
  const { t } = of;
  const body = !key ? aboutModel(model, t) : key[0] === "g"
    ? aboutGroup(model, key, of) : aboutNode(model, key, of);
  const title = !key ? model.data.name : key[0] === "g"
    ? model.title(key) : titleOf(model.nodes[number(key)]);
  const kind = !key ? t("model") : key[0] === "g" ? t("group") : t(model.nodes[number(key)].kind);
  const family = key && key[0] === "n" ? familyOf(model.nodes[number(key)]) : "group";
  fill(panel,
    el("header", { class: `graph-head family-${family}` },
      el("div", {}, el("small", {}, kind), el("h2", {}, title)),
      iconButton("close", t("closePanel"), of.close)),
    el("div", { class: "graph-facts" }, body));
  panel.scrollTop = 0;
}

function titleOf(node) {
  return node.kind === "operator" ? node.type : node.name;
}

function rows(pairs) {
  return el("dl", {}, pairs.filter(([, value]) => value !== "" && value !== null).map(
    ([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

function section(title, ...children) {
  return el("section", {}, el("h3", {}, title), children);
}

function aboutModel(model, t) {
  const { data } = model;
  const most = Math.max(1, ...Object.values(data.operators));
  const ports = (list, slots) => el("ul", { class: "tensors" }, list.slice(0, MOST).map((at) =>
    tensorRow(model.tensors[model.nodes[at][slots][0][1][0]], t)), more(list));
  return [
    rows([
      [t("format"), data.format], [t("version"), data.version],
      [t("operators"), model.nodes.filter((n) => n.kind === "operator").length.toLocaleString()],
      [t("parameters"), data.parameters.count.toLocaleString()],
      [t("notes"), data.notes.join("; ")],
    ]),
    section(t("inputs"), ports(data.inputs, "outputs")),
    section(t("outputs"), ports(data.outputs, "inputs")),
    section(t("kinds"), el("ul", { class: "kinds" },
      Object.entries(data.operators).slice(0, MOST).map(([type, count]) =>
        el("li", { class: `family-${familyOf({ kind: "operator", type })}` },
          el("span", {}, type),
          el("span", { class: "bar", style: { "--part": `${(100 * count) / most}%` } }),
          el("b", {}, count))))),
    el("p", { class: "hint" }, t("keys")),
  ];
}

function crumbs(model, key, of) {
  const around = model.around(key);
  if (!around.length) return "";
  return el("span", { class: "crumbs" }, around.map((group) =>
    textButton(model.name(group), () => of.go(group), { kind: "plain link" })));
}

function aboutGroup(model, key, of) {
  const { t } = of;
  const group = model.groupOf(key);
  const { ins, outs } = model.borders(key);
  const open = model.isOpen(key);
  const list = (tensors) => el("ul", { class: "tensors" },
    tensors.slice(0, MOST).map((at) => tensorRow(model.tensors[at], t)), more(tensors));
  return [
    el("div", { class: "graph-actions" },
      textButton(t(open ? "fold" : "unfold"), () => of.fold(key)),
      textButton(t("unfoldInside"), () => of.unfoldInside(key))),
    rows([
      [t("inside"), crumbs(model, key, of)], [t("typeTitle"), group.kind],
      [t("operators"), group.operators.toLocaleString()],
      [t("parameters"), group.parameters.toLocaleString()],
    ]),
    section(t("inputs"), list(ins)),
    section(t("outputs"), list(outs)),
  ];
}

function aboutNode(model, key, of) {
  const { t } = of;
  const node = model.nodes[number(key)];
  const plain = node.attributes.filter(([name]) => !isInternal(name));
  const internal = node.attributes.filter(([name]) => isInternal(name));
  return [
    rows([
      [t("nameTitle"), node.kind === "operator" ? node.name : ""],
      [t("inside"), crumbs(model, key, of)], [t("role"), node.role ? t(node.role) : ""],
    ]),
    plain.length ? section(t("attributesTitle"), table(plain)) : null,
    node.inputs.length ? section(t("inputs"), slots(model, key, node.inputs, "in", of)) : null,
    node.outputs.length ? section(t("outputs"), slots(model, key, node.outputs, "out", of)) : null,
    internal.length ? el("details", {}, el("summary", {}, t("internal")), table(internal)) : null,
  ];
}

function table(attributes) {
  return el("table", {}, el("tbody", {}, attributes.map(([name, kind, text]) =>
    el("tr", {}, el("th", { scope: "row", title: kind }, name), el("td", {}, text)))));
}

function slots(model, key, list, way, of) {
  return el("ul", { class: "tensors" }, list.map(([slot, tensors]) => [
    tensors.slice(0, MOST).map((at) => el("li", {},
      slot && !/^\d+$/.test(slot) ? el("small", {}, slot) : null,
      tensorText(model.tensors[at], of.t), others(model, key, at, way, of))),
    more(tensors),
  ]));
}

/** Buttons that lead to where a tensor comes from, or to those that read it. */
function others(model, key, tensor, way, of) {
  const own = number(key);
  const end = way === "in" ? 0 : 1;
  const found = (way === "in" ? model.into : model.from)[own]
    .map((at) => model.edges[at]).filter((edge) => edge[2] === tensor)
    .map((edge) => `n${edge[end]}`);
  if (!found.length) return null;
  return el("span", { class: "ends" }, found.slice(0, 12).map((one) => {
    const node = model.nodes[number(one)];
    const label = node.kind === "operator" ? node.name.split("/").pop() : of.t(node.kind);
    return textButton(`${way === "in" ? "←" : "→"} ${label}`, () => of.go(one),
      { kind: "plain link" });
  }), found.length > 12 ? el("span", {}, `+${found.length - 12}`) : null);
}

function tensorRow(tensor, t) {
  return el("li", {}, tensorText(tensor, t));
}

function tensorText(tensor, t) {
  const shape = tensor.shape ? shapeText(tensor.shape) : t("unknownShape");
  return el("span", { class: tensor.parameter ? "tensor parameter" : "tensor" },
    el("b", {}, tensor.name),
    el("code", {}, [tensor.dtype, shape === "[]" ? t("scalarShape") : shape]
      .filter(Boolean).join(" ")));
}

function more(list) {
  return list.length > MOST ? el("li", { class: "hint" }, `+${list.length - MOST}`) : null;
}
