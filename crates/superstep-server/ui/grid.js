// The cells of a sheet. Only the rows that are in view are elements, so a sheet may have a hundred thousand.

import { h, show } from "./dom.js";
import { letters } from "./xlsx.js";

const HEIGHT = 26;
const AROUND = 12;
const EMPTY_ROWS = 6;
const EMPTY_COLUMNS = 2;
const MOST_COLUMNS = 256;
const SMALLEST = { rows: 14, columns: 7 };

/**
 * @param {import("./xlsx.js").Sheet} sheet
 * @param {Map<string, {kind: string, was: string}>} marks changes by `row:column`
 * @param {(row: number, column: number) => void} onpick
 */
export function grid(sheet, marks, onpick) {
  const removed = [...marks.keys()].map((key) => key.split(":").map(Number));
  const most = (at, own) => Math.max(own, ...removed.map((place) => place[at]), 0);
  const rows = Math.max(SMALLEST.rows, most(0, sheet.rows) + EMPTY_ROWS);
  const columns = Math.min(MOST_COLUMNS, Math.max(SMALLEST.columns, most(1, sheet.columns) + EMPTY_COLUMNS));
  let picked = { row: 1, column: 1 };
  let drawn = { from: -1, to: -1 };
  const range = Array.from({ length: columns }, (_, at) => at + 1);
  const cols = range.map((column) => {
    const col = h("col");
    col.style.width = `${Math.round(Math.min(60, Math.max(9, sheet.widths.get(column) ?? 11)) * 8)}px`;
    return col;
  });
  const body = h("tbody");
  const head = h(
    "thead",
    null,
    h(
      "tr",
      null,
      h("th", { class: "corner" }, h("span", { class: "hidden-text" }, "Row")),
      range.map((column) => h("th", { scope: "col" }, letters(column))),
    ),
  );
  const corner = h("col");
  corner.style.width = "46px";
  const table = h(
    "table",
    { "aria-label": `Cells of ${sheet.name}`, "aria-rowcount": rows },
    h("colgroup", null, corner, cols),
    head,
    body,
  );
  table.style.width = `${cols.reduce((sum, col) => sum + Number.parseInt(col.style.width, 10), 46)}px`;
  const box = h(
    "div",
    { class: "grid", tabIndex: 0, role: "group", "aria-label": `Sheet ${sheet.name}. Arrow keys choose a cell.` },
    table,
  );

  const cell = (row, column) => {
    const key = `${row}:${column}`;
    const one = sheet.cells.get(key);
    const mark = marks.get(key);
    const isPicked = picked.row === row && picked.column === column;
    const kind = [
      one?.isNumber && "number",
      one?.isBold && "bold",
      mark?.kind,
      isPicked && "picked",
      row <= sheet.frozen.rows && "frozen",
    ]
      .filter(Boolean)
      .join(" ");
    const text = mark?.kind === "removed" ? h("del", null, mark.was) : (one?.text ?? "");
    return h("td", { class: kind, "data-at": key, title: mark?.kind === "changed" ? `Was: ${mark.was}` : null }, text);
  };
  const line = (row) =>
    h(
      "tr",
      { "aria-rowindex": row },
      h("th", { scope: "row" }, String(row)),
      range.map((column) => cell(row, column)),
    );
  const space = (count) => {
    const filler = h("tr", { "aria-hidden": "true" }, h("td", { colSpan: columns + 1, class: "space" }));
    filler.firstChild.style.height = `${count * HEIGHT}px`;
    return filler;
  };
  const draw = (isForced = false) => {
    const first = Math.floor(box.scrollTop / HEIGHT);
    const count = Math.ceil((box.clientHeight || 400) / HEIGHT);
    const from = Math.max(1, first - AROUND);
    const to = Math.min(rows, first + count + AROUND);
    if (!isForced && Math.abs(from - drawn.from) < AROUND / 2 && drawn.to - drawn.from >= to - from) return;
    drawn = { from, to };
    const lines = [];
    // Frozen rows stay below the head, wherever the view is.
    for (let row = 1; row <= Math.min(sheet.frozen.rows, from - 1, 3); row++) lines.push(line(row));
    if (from > 1) lines.push(space(from - 1 - lines.length));
    for (let row = from; row <= to; row++) lines.push(line(row));
    if (to < rows) lines.push(space(rows - to));
    show(body, lines);
  };
  const pick = (row, column) => {
    picked = { row: Math.min(rows, Math.max(1, row)), column: Math.min(columns, Math.max(1, column)) };
    const top = (picked.row - 1) * HEIGHT;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top > box.scrollTop + box.clientHeight - 3 * HEIGHT) box.scrollTop = top - box.clientHeight + 4 * HEIGHT;
    draw(true);
    body.querySelector(".picked")?.scrollIntoView({ block: "nearest", inline: "nearest" });
    onpick(picked.row, picked.column);
  };
  box.addEventListener("scroll", () => draw(), { passive: true });
  box.addEventListener("click", (event) => {
    const at = event.target.closest("[data-at]")?.dataset.at;
    if (at !== undefined) pick(...at.split(":").map(Number));
  });
  const MOVES = {
    ArrowUp: [-1, 0],
    ArrowDown: [1, 0],
    ArrowLeft: [0, -1],
    ArrowRight: [0, 1],
    PageDown: [20, 0],
    PageUp: [-20, 0],
  };
  box.addEventListener("keydown", (event) => {
    const move = MOVES[event.key];
    if (move === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    pick(picked.row + move[0], picked.column + move[1]);
  });
  requestAnimationFrame(() => draw(true));
  draw(true);
  return box;
}
