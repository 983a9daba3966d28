// Files that the reader drops on the graph page or chooses, and their way to the server.
import { el } from "../dom.js";
import { textButton } from "../controls.js";

const MOST = 64; // MB; what the server takes
const KINDS = ".pdmodel,.onnx,.log,.model,__model__";

/** A button that opens a file. */
export function fileButton(t, onFile) {
  const input = el("input", {
    type: "file", hidden: true, "aria-label": t("chooseFile"), "data-kinds": KINDS,
    onchange: () => {
      if (input.files.length) onFile(input.files[0]);
      input.value = "";
    },
  });
  return el("span", { class: "graph-file" },
    textButton(t("chooseFile"), () => input.click()), input);
}

/** Lets files be dropped on an element. */
export function dropZone(root, t, onFile, signal) {
  const veil = el("div", { class: "graph-drop", hidden: true }, t("dropHere"));
  root.append(veil);
  let inside = 0;
  const files = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  const on = (name, call) => root.addEventListener(name, (event) => {
    if (!files(event)) return;
    event.preventDefault();
    call(event);
    veil.hidden = inside <= 0;
  }, { signal });
  on("dragenter", () => { inside += 1; });
  on("dragover", () => {});
  on("dragleave", () => { inside -= 1; });
  on("drop", (event) => {
    inside = 0;
    const [file] = event.dataTransfer.files;
    if (file) onFile(file);
  });
}

/** Sends a file to the server. Throws an Error with the server's words. */
export async function send(board, file, signal) {
  if (file.size > MOST << 20) throw new Error(board.t("tooLarge", file.name, MOST));
  const body = new FormData();
  body.append("file", file, file.name);
  const answer = await fetch(board.url("graph/upload"), {
    method: "POST", body, signal, credentials: "same-origin",
  });
  const said = await answer.json().catch(() => null);
  if (!answer.ok || said?.status !== 0) {
    throw new Error(said?.msg || `${answer.status} ${answer.statusText}`);
  }
  return said.data;
}
