// Markdown as elements: headings, nested lists, code, quotes, tables, emphasis and links. HTML in it is text, images are shown
// as their address (nothing is loaded from elsewhere), links only lead to web and mail addresses and say where.

import { button, h } from "./dom.js";
import { inline } from "./inline.js";
import { table } from "./table.js";

const ITEM = /^(\s*)(?:([-*+])|(\d{1,9})[.)])(\s+)(.*)$/;
const FENCE = /^(\s*)(`{3,}|~{3,})\s*(\S*)/;
const DEPTH = 12;
// The most cells of a table; the rows behind them are shown as text.
const CELLS = 10000;

/** @param {string} text */
export function markdown(text) {
  const lines = String(text ?? "")
    .replaceAll("\r\n", "\n")
    .replaceAll("\t", "    ")
    .split("\n");
  return h("div", { class: "prose" }, blocks(lines, { level: 2 }, 0));
}

const isRule = (line) => /^\s*([-*_])(\s*\1){2,}\s*$/.test(line);
const isTable = (lines, at) =>
  lines[at].includes("|") && /^\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?$/.test((lines[at + 1] ?? "").trim());
const begins = (lines, at) =>
  /^\s{0,3}(#{1,6}\s|>)/.test(lines[at]) ||
  FENCE.test(lines[at]) ||
  ITEM.test(lines[at]) ||
  isRule(lines[at]) ||
  isTable(lines, at);

/** The elements of these lines. `place` has the level of the heading above them. */
function blocks(lines, place, depth) {
  const out = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at];
    const heading = /^\s{0,3}(#{1,6})\s+(.*)$/.exec(line);
    const fence = FENCE.exec(line);
    if (line.trim() === "") at++;
    else if (fence) {
      const close = new RegExp(`^\\s*${fence[2][0]}{${fence[2].length},}\\s*$`);
      let end = at + 1;
      while (end < lines.length && !close.test(lines[end])) end++;
      const indent = fence[1].length;
      out.push(
        code(
          lines
            .slice(at + 1, end)
            .map((one) => one.slice(Math.min(indent, one.search(/\S|$/))))
            .join("\n"),
          fence[3],
        ),
      );
      at = end + 1;
    } else if (heading) {
      // The page has its own first headings: those of a text come below them, and none skips a level.
      place.level = Math.min(6, heading[1].length + 2, place.level + 1);
      out.push(h(`h${place.level}`, null, inline(heading[2])));
      at++;
    } else if (isRule(line)) {
      out.push(h("hr", null));
      at++;
    } else if (/^\s{0,3}>/.test(line)) {
      let end = at;
      while (end < lines.length && /^\s{0,3}>/.test(lines[end])) end++;
      const quoted = lines.slice(at, end).map((one) => one.replace(/^\s{0,3}>\s?/, ""));
      out.push(h("blockquote", null, depth < DEPTH ? blocks(quoted, place, depth + 1) : quoted.join("\n")));
      at = end;
    } else if (ITEM.test(line)) {
      const [element, end] = list(lines, at, place, depth);
      out.push(element);
      at = end;
    } else if (isTable(lines, at)) {
      let end = at + 2;
      while (end < lines.length && lines[end].includes("|")) end++;
      const [names, ...rows] = [lines[at], ...lines.slice(at + 2, end)].map(cells);
      let room = CELLS - names.length;
      const cut = rows.findIndex((row) => (room -= row.length) < 0);
      const fits = cut < 0 ? rows.length : cut;
      const isWide = names.length > CELLS;
      if (!isWide) out.push(table(names, rows.slice(0, fits), { cell: inline }));
      const rest = lines.slice(isWide ? at : at + 2 + fits, end);
      if (rest.length > 0) out.push(code(rest.join("\n")));
      at = end;
    } else {
      let end = at + 1;
      while (end < lines.length && lines[end].trim() !== "" && !begins(lines, end)) end++;
      out.push(
        h(
          "p",
          null,
          inline(
            lines
              .slice(at, end)
              .map((one) => one.trim())
              .join("\n"),
          ),
        ),
      );
      at = end;
    }
  }
  return out;
}

function behindBlank(lines, at) {
  while (at < lines.length && lines[at].trim() === "") at++;
  return at;
}

/** A list from this line on, and the line after it. What is indented below an item belongs to it. */
function list(lines, start, place, depth) {
  const [, indent, sign, number] = ITEM.exec(lines[start]);
  const items = [];
  let at = start;
  let isLoose = false;
  while (at < lines.length) {
    const found = ITEM.exec(lines[at]);
    if (found === null || found[1].length < indent.length || found[1].length > indent.length + 1) break;
    if ((found[2] === undefined) !== (sign === undefined)) break;
    const inner = found[1].length + 2;
    const body = [found[5]];
    at++;
    while (at < lines.length) {
      const next = lines[at];
      const depthOf = next.search(/\S/);
      if (next.trim() === "") {
        // All blank lines at once: a text may have nothing else.
        const behind = behindBlank(lines, at);
        if (behind === lines.length || lines[behind].search(/\S/) < inner) break;
        isLoose = true;
        for (; at < behind; at++) body.push("");
        continue;
      } else if (depthOf < inner && begins(lines, at)) break;
      body.push(next.slice(Math.min(Math.max(depthOf, 0), found[0].length - found[5].length)));
      at++;
    }
    items.push(body);
    const next = behindBlank(lines, at);
    const follows = ITEM.exec(lines[next] ?? "");
    if (next > at && follows !== null && follows[1].length === indent.length) at = next;
  }
  const draw = (body) => {
    const parts = depth < DEPTH ? blocks(body, place, depth + 1) : [body.join("\n")];
    // The text of a tight item is no paragraph.
    const [first, ...rest] = parts;
    return h("li", null, !isLoose && first?.tagName === "P" ? [...first.childNodes] : first, rest);
  };
  return [
    h(sign === undefined ? "ol" : "ul", sign === undefined && number !== "1" ? { start: Number(number) } : null, items.map(draw)),
    at,
  ];
}

/** A piece of code with its language and a button that copies it. */
export function code(text, language = "") {
  const copy = button(
    "Copy",
    async () => {
      await navigator.clipboard.writeText(text);
      copy.textContent = "Copied";
      setTimeout(() => (copy.textContent = "Copy"), 1500);
    },
    "link",
  );
  const head = h("div", { class: "code-head" }, h("span", null, language), copy);
  return h("div", { class: "code-block" }, head, h("pre", { tabIndex: 0 }, h("code", null, text)));
}

const cells = (row) =>
  row
    .trim()
    .replace(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));
