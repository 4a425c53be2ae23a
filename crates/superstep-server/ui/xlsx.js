// A workbook (.xlsx) as cells: sheets, values, formulas, formats, frozen panes, and the data of its charts.
//
// The XML is read as data by the browser's own parser; nothing of it becomes part of the page but text.

import { formatted, isDate } from "./number_format.js";
import { unzip } from "./zip.js";

/**
 * @typedef {{text: string, raw: string, formula: string | null, isNumber: boolean, isBold: boolean}} Cell
 * @typedef {{name: string, cells: Map<string, Cell>, rows: number, columns: number, widths: Map<number, number>,
 *   frozen: {rows: number, columns: number}, charts: Chart[]}} Sheet
 * @typedef {{kind: string, title: string, series: {name: string, labels: string[], values: number[]}[]}} Chart
 */

const parse = (text) => new DOMParser().parseFromString(text, "application/xml");
const all = (node, name) => [...node.getElementsByTagNameNS("*", name)];
const first = (node, name) => node?.getElementsByTagNameNS("*", name)[0] ?? null;
const relation = (node) => node.getAttributeNS("http://schemas.openxmlformats.org/officeDocument/2006/relationships", "id");

/** Column numbers from 1 as letters. */
export function letters(column) {
  let name = "";
  for (let left = column; left > 0; left = Math.floor((left - 1) / 26)) name = String.fromCharCode(65 + ((left - 1) % 26)) + name;
  return name;
}

/** The row and column of an address such as `B7`, from 1. */
export function place(address) {
  const [, name, row] = /^([A-Z]{1,3})(\d{1,7})$/.exec(address) ?? [];
  if (name === undefined) return null;
  return { row: Number(row), column: [...name].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) };
}

/** The path of a part that another one names. */
function joined(base, target) {
  if (target.startsWith("/")) return target.slice(1);
  const parts = base.split("/").slice(0, -1);
  for (const step of target.split("/")) step === ".." ? parts.pop() : parts.push(step);
  return parts.join("/");
}

/**
 * Reads a workbook.
 * @param {Blob} blob
 * @returns {Promise<Sheet[]>}
 */
export async function readWorkbook(blob) {
  const entries = await unzip(blob);
  const part = async (path) => (entries.has(path) ? parse(await entries.get(path)()) : null);
  const relations = async (path) => {
    const rels = await part(path.replace(/([^/]+)$/, "_rels/$1.rels"));
    return new Map(
      (rels === null ? [] : all(rels, "Relationship")).map((one) => [
        one.getAttribute("Id"),
        { type: one.getAttribute("Type") ?? "", path: joined(path, one.getAttribute("Target") ?? "") },
      ]),
    );
  };
  const book = await part("xl/workbook.xml");
  if (book === null) throw new Error("This is not a workbook: it has no sheets.");
  const targets = await relations("xl/workbook.xml");
  const strings = await part("xl/sharedStrings.xml");
  const texts = strings === null ? [] : all(strings, "si").map(textOf);
  const styles = stylesOf(await part("xl/styles.xml"));
  const sheets = [];
  for (const node of all(book, "sheet")) {
    const path = targets.get(relation(node))?.path;
    const xml = path === undefined ? null : await part(path);
    if (xml === null) continue;
    const charts = await chartsOf(path, relations, part);
    sheets.push({ name: node.getAttribute("name") ?? "", charts, ...sheetOf(xml, texts, styles) });
  }
  for (const chart of sheets.flatMap((sheet) => sheet.charts)) for (const series of chart.series) filled(series, sheets);
  return sheets;
}

/** The text of a string with its runs; phonetic ones are left out. */
const textOf = (node) =>
  all(node, "t")
    .filter((part) => part.parentNode.localName !== "rPh")
    .map((part) => part.textContent)
    .join("");

function stylesOf(xml) {
  if (xml === null) return [];
  const formats = new Map(all(xml, "numFmt").map((one) => [one.getAttribute("numFmtId"), one.getAttribute("formatCode") ?? ""]));
  const bold = all(first(xml, "fonts") ?? xml, "font").map(
    (font) => first(font, "b") !== null && first(font, "b").getAttribute("val") !== "0",
  );
  return all(first(xml, "cellXfs") ?? xml, "xf").map((xf) => {
    const id = xf.getAttribute("numFmtId") ?? "0";
    return { format: formats.get(id) ?? id, isBold: bold[Number(xf.getAttribute("fontId") ?? 0)] ?? false };
  });
}

function sheetOf(xml, texts, styles) {
  const cells = new Map();
  let [rows, columns] = [0, 0];
  for (const node of all(xml, "c")) {
    const at = place(node.getAttribute("r") ?? "");
    const cell = at === null ? null : cellOf(node, texts, styles);
    if (cell === null) continue;
    cells.set(`${at.row}:${at.column}`, cell);
    [rows, columns] = [Math.max(rows, at.row), Math.max(columns, at.column)];
  }
  const widths = new Map();
  for (const node of all(xml, "col")) {
    const [from, to] = [Number(node.getAttribute("min")), Number(node.getAttribute("max"))];
    for (let column = from; column <= Math.min(to, from + 255); column++)
      widths.set(column, Number(node.getAttribute("width") ?? 9));
  }
  const pane = first(xml, "pane");
  const isFrozen = (pane?.getAttribute("state") ?? "").startsWith("frozen");
  const frozen = {
    rows: isFrozen ? Number(pane.getAttribute("ySplit") ?? 0) : 0,
    columns: isFrozen ? Number(pane.getAttribute("xSplit") ?? 0) : 0,
  };
  return { cells, rows, columns, widths, frozen };
}

/** @returns {Cell | null} */
function cellOf(node, texts, styles) {
  const type = node.getAttribute("t") ?? "n";
  const { format = "0", isBold = false } = styles[Number(node.getAttribute("s") ?? 0)] ?? {};
  const formula = first(node, "f")?.textContent || null;
  const value = type === "inlineStr" ? textOf(node) : (first(node, "v")?.textContent ?? "");
  if (value === "" && formula === null) return null;
  const isNumber = type === "n" && value !== "";
  const raw = type === "s" ? (texts[Number(value)] ?? "") : type === "b" ? (value === "1" ? "TRUE" : "FALSE") : value;
  const text = isNumber ? formatted(Number(value), format) : raw;
  return { text, raw, formula, isNumber: isNumber && !isDate(format), isBold };
}

/** The charts of the drawing of a sheet. */
async function chartsOf(path, relations, part) {
  const out = [];
  for (const drawing of (await relations(path)).values()) {
    if (!drawing.type.endsWith("/drawing")) continue;
    for (const target of (await relations(drawing.path)).values()) {
      const xml = target.type.endsWith("/chart") ? await part(target.path) : null;
      if (xml !== null) out.push(chartOf(xml));
    }
  }
  return out;
}

/** Fills a series whose chart keeps no values of its own from the cells that it names. */
function filled(series, sheets) {
  if (series.values.length === 0) series.values = range(series.from.values, sheets).map(Number);
  if (series.labels.length === 0) series.labels = range(series.from.labels, sheets);
  if (series.name === "") series.name = range(series.from.name, sheets)[0] ?? "";
}

/** The raw values of a reference such as `'By region'!$B$2:$B$9`; at most a thousand. */
function range(reference, sheets) {
  const [, name, from, to] = /^'?(.*?)'?!\$?([A-Z]+\$?\d+)(?::\$?([A-Z]+\$?\d+))?$/.exec(reference) ?? [];
  const sheet = sheets.find((one) => one.name === name?.replaceAll("''", "'"));
  const [start, end] = [from, to ?? from].map((at) => (at === undefined ? null : place(at.replace("$", ""))));
  if (sheet === undefined || start === null || end === null) return [];
  const out = [];
  for (let row = start.row; row <= end.row; row++)
    for (let column = start.column; column <= end.column && out.length < 1000; column++)
      out.push(sheet.cells.get(`${row}:${column}`)?.raw ?? "");
  return out;
}

/** @returns {Chart} */
function chartOf(xml) {
  const plot = first(xml, "plotArea");
  const kind = [...(plot?.children ?? [])].map((node) => node.localName).find((name) => name.endsWith("Chart")) ?? "barChart";
  const points = (node) => (node === null ? [] : all(node, "pt").map((point) => first(point, "v")?.textContent ?? ""));
  const reference = (node) => first(node, "f")?.textContent ?? "";
  const title = first(xml, "title");
  const series = all(plot ?? xml, "ser").map((node) => ({
    name: points(first(node, "tx"))[0] ?? "",
    labels: points(first(node, "cat")),
    values: points(first(node, "val")).map(Number),
    from: { name: reference(first(node, "tx")), labels: reference(first(node, "cat")), values: reference(first(node, "val")) },
  }));
  return {
    kind,
    title:
      title === null
        ? ""
        : all(title, "t")
            .map((one) => one.textContent)
            .join(""),
    series,
  };
}
