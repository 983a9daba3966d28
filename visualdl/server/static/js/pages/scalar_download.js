// Saves a chart of scalars: as a picture, or its values, all of them and unsampled.
import { variable } from "../theme.js";

const fileName = (text) =>
  text.replace(/[^\p{L}\p{N}._-]+/gu, "_").replace(/^_+|_+$/g, "") || "chart";

/** A PNG with the tag as title and the runs as legend. */
export function downloadPicture(card) {
  const names = card.lines.map((one) => one.label);
  const address = card.chart?.image({
    title: { text: card.item.tag, left: 16, top: 10,
      textStyle: { fontSize: 14, color: variable("--text") } },
    legend: { data: names, bottom: 8, type: "plain", icon: "roundRect", itemWidth: 12,
      itemHeight: 12,
      textStyle: { color: variable("--text") } },
    grid: { top: 44, bottom: 24 + 22 * Math.ceil(names.length / 4), left: 16, right: 24 },
  });
  if (address) card.board.download(`${fileName(card.item.tag)}.png`, address);
}

/** The values of one run, as the server writes them. */
export async function downloadRun(card, run) {
  const { board, item } = card;
  try {
    const text = await board.get("scalar/data", { run, tag: item.tag, type: "csv" },
      { as: "text" });
    board.download(`${fileName(board.label(run))}-${fileName(item.tag)}.csv`, csv(text));
  } catch (error) {
    board.message(error.message, "error");
  }
}

/** The values of all runs of the chart in one table with the run in the first column. */
export async function downloadAll(card) {
  const { board, item } = card;
  try {
    const texts = await Promise.all(item.runs.map((run) =>
      board.get("scalar/data", { run, tag: item.tag, type: "csv" }, { as: "text" })));
    const lines = [];
    texts.forEach((text, at) => {
      const [head, ...rows] = text.split(/\r?\n/).filter((row) => row !== "");
      if (at === 0) lines.push(`run,${head}`);
      const name = `"${item.runs[at].replaceAll('"', '""')}"`;
      for (const row of rows) lines.push(`${name},${row}`);
    });
    board.download(`${fileName(item.tag)}.csv`, csv(`${lines.join("\n")}\n`));
  } catch (error) {
    board.message(error.message, "error");
  }
}

const csv = (text) => new Blob([text], { type: "text/csv" });
