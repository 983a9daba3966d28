// The columns of labels as the reader chose them: beside points, as colours, in the search.
import { bestColumn, isScale } from "./embedding_data.js";

/** Which column is used for what; kept in the address by number. */
export class Columns {
  constructor(board) {
    this.board = board;
    this.all = [];
  }

  #chosen(key, first, least) {
    const at = this.board.state.get(key, first);
    return Number.isInteger(at) && at >= least && at < this.all.length ? at : first;
  }

  /** The column whose texts stand beside points: that which tells most of them apart. */
  get label() {
    const sizes = this.all.map((one) => one.distinct.size);
    return this.#chosen("label", sizes.indexOf(Math.max(...sizes)), 0);
  }

  /** The column that colours the points, -1 for none. */
  get color() {
    return this.#chosen("color", bestColumn(this.all), -1);
  }

  /** The column in which is searched, -1 for all. */
  get searched() {
    return this.#chosen("in", -1, -1);
  }

  /** Whether colours are a scale of numbers. */
  get scale() {
    const column = this.all[this.color];
    return Boolean(column?.numeric) && this.board.state.get("scale", isScale(column));
  }

  /** Whether the text beside a point says which one it is. */
  get unique() {
    const column = this.all[this.label];
    return !column || column.distinct.size === column.values.length;
  }

  /** The text beside the point of a row. */
  text(row) {
    const column = this.all[this.label];
    return column ? column.values[row] ?? "" : `#${row}`;
  }

  /** All that is known of a row: `[[name, value], ...]`. */
  facts(row) {
    return [...this.all.map(({ name, values }) => [name, values[row]]),
      [this.board.t("row"), String(row)]];
  }

  /** The rows in whose labels `match` finds something. */
  rowsWith(match, rows) {
    const columns = this.searched < 0 ? this.all : [this.all[this.searched]];
    const found = [];
    for (let row = 0; row < rows; row += 1) {
      const hit = columns.length ? columns.some((one) => match(one.values[row])) : match(`#${row}`);
      if (hit) found.push(row);
    }
    return found;
  }
}
