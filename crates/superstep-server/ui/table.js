// A table with numbers to the right. Columns sort by a press on their name, and all of it copies as CSV.

import { button, h, show } from "./dom.js";

const NUMBER = /^[-+]?[\d.,'\u00a0 ]*\d%?$/;
const PAGE = 200;

const value = (text) => Number(String(text).replace(/[,'%\u00a0 ]/g, ""));
const quoted = (cell) => (/[",\n]/.test(cell) ? `"${String(cell).replaceAll('"', '""')}"` : cell);

/**
 * @param {string[]} columns
 * @param {string[][]} rows
 * @param {{sorts?: boolean, cell?: (text: string, row: number, column: number) => any, foot?: any}} [options]
 */
export function table(columns, rows, { sorts = false, cell = (text) => text, foot = null } = {}) {
  const isNumber = columns.map((_, at) => rows.length > 0 && rows.every((row) => (row[at] ?? "") === "" || NUMBER.test(row[at])));
  let order = rows.map((_, at) => at);
  let shown = PAGE;
  let by = null;
  const body = h("tbody");
  const draw = () =>
    show(
      body,
      order.slice(0, shown).map((at) =>
        h(
          "tr",
          null,
          rows[at]
            .slice(0, columns.length)
            .map((text, column) => h("td", { class: isNumber[column] ? "number" : "" }, cell(text ?? "", at, column))),
          // One cell for all that the row lacks: cells of their own would be rows times columns.
          rows[at].length < columns.length && h("td", { colSpan: columns.length - rows[at].length }),
        ),
      ),
      order.length > shown &&
        h("tr", null, h("td", { colSpan: columns.length }, button(`${order.length - shown} more rows`, more, "link"))),
    );
  const more = () => {
    shown += PAGE * 5;
    draw();
  };
  const sort = (column) => {
    by = by?.column === column ? { column, down: !by.down } : { column, down: isNumber[column] };
    const compare = (a, b) =>
      isNumber[column] ? value(rows[a][column]) - value(rows[b][column]) : String(rows[a][column]).localeCompare(rows[b][column]);
    order = rows.map((_, at) => at).sort((a, b) => (by.down ? compare(b, a) : compare(a, b)));
    for (const [at, head] of heads.entries())
      head.setAttribute("aria-sort", at !== column ? "none" : by.down ? "descending" : "ascending");
    draw();
  };
  const heads = columns.map((name, at) =>
    h(
      "th",
      { scope: "col", class: isNumber[at] ? "number" : "" },
      sorts && rows.length > 1 ? button(name, () => sort(at), "sort") : cell(name, -1, at),
    ),
  );
  draw();
  const scroll = h(
    "div",
    { class: "scroll", tabIndex: 0, role: "group", "aria-label": "Table" },
    h("table", null, h("thead", null, h("tr", null, heads)), body),
  );
  if (!sorts) return scroll;
  const copy = button(
    "Copy as CSV",
    async () => {
      await navigator.clipboard.writeText([columns, ...rows].map((row) => row.map(quoted).join(",")).join("\n"));
      copy.textContent = "Copied";
      setTimeout(() => (copy.textContent = "Copy as CSV"), 1500);
    },
    "link",
  );
  return h("div", { class: "table" }, scroll, h("div", { class: "row small" }, foot, copy));
}
