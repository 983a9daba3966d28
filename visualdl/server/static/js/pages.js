// The pages of the board in their order, and the kinds of records each shows.

/** `name` is the module js/pages/NAME.js; `always` pages open without data, too. */
export const PAGES = [
  { name: "scalar", kinds: ["scalar"] },
  { name: "image", kinds: ["image"] },
  { name: "audio", kinds: ["audio"] },
  { name: "text", kinds: ["text"] },
  { name: "histogram", kinds: ["histogram"] },
  { name: "curves", kinds: ["pr_curve", "roc_curve"] },
  { name: "embedding", kinds: ["embeddings"] },
  { name: "hparam", kinds: ["hyper_parameters"] },
  { name: "graph", kinds: ["graph", "static_graph"], always: true },
];

/** The page of this name, or undefined. */
export const pageNamed = (name) => PAGES.find((one) => one.name === name);

/** The kinds of records that a page shows. */
export const kindsOf = (name) => pageNamed(name)?.kinds ?? [];
