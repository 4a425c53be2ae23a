// Markdown as elements: headings, lists, code, quotes, emphasis and links. HTML in it is text, images are shown as their
// address (nothing is loaded from elsewhere), links only lead to web and mail addresses and say where.

import { h } from "./dom.js";

export function markdown(text) {
  const out = [];
  const lines = String(text ?? "").replaceAll("\r\n", "\n").split("\n");
  let at = 0;
  let level = 2;
  const take = (test) => {
    const start = at;
    while (at < lines.length && test(lines[at])) at++;
    return lines.slice(start, at);
  };
  while (at < lines.length) {
    const line = lines[at];
    const heading = /^(#{1,6})\s+(.*)$/.exec(line);
    const fence = /^\s*(```+|~~~+)/.exec(line);
    if (line.trim() === "") at++;
    else if (fence) {
      at++;
      const code = take((other) => !other.trim().startsWith(fence[1]));
      at++;
      out.push(h("pre", null, h("code", null, code.join("\n"))));
    } else if (heading) {
      at++;
      // The page has its own first headings: those of a text come below them, and none skips a level.
      level = Math.min(6, heading[1].length + 2, level + 1);
      out.push(h(`h${level}`, null, inline(heading[2])));
    } else if (/^\s*([-*_])\s*(\1\s*){2,}$/.test(line)) {
      at++;
      out.push(h("hr", null));
    } else if (/^\s*>/.test(line)) {
      const quoted = take((other) => /^\s*>/.test(other)).map((other) => other.replace(/^\s*>\s?/, ""));
      out.push(h("blockquote", null, h("p", null, inline(quoted.join("\n")))));
    } else if (/^\s*([-*+]|\d+[.)])\s+/.test(line)) {
      const ordered = /^\s*\d/.test(line);
      const items = [];
      for (const other of take((other) => other.trim() !== "" && !/^#{1,6}\s/.test(other))) {
        const item = /^\s*(?:[-*+]|\d+[.)])\s+(.*)$/.exec(other);
        if (item) items.push(item[1]);
        else items[items.length - 1] += `\n${other.trim()}`;
      }
      out.push(h(ordered ? "ol" : "ul", null, items.map((item) => h("li", null, inline(item)))));
    } else if (line.includes("|") && /^\s*(?:\|\s*)?:?-+/.test(lines[at + 1] ?? "")) {
      const rows = take((other) => other.includes("|")).map(cells);
      out.push(
        h(
          "div",
          { class: "scroll" },
          h(
            "table",
            null,
            h("thead", null, h("tr", null, rows[0].map((cell) => h("th", null, inline(cell))))),
            h("tbody", null, rows.slice(2).map((row) => h("tr", null, row.map((cell) => h("td", null, inline(cell)))))),
          ),
        ),
      );
    } else {
      const paragraph = take((other) => other.trim() !== "" && !/^(#{1,6}\s|\s*(```|~~~|>))/.test(other));
      out.push(h("p", null, inline(paragraph.join("\n"))));
    }
  }
  return h("div", { class: "prose" }, out);
}

const cells = (row) => row.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());

// No part begins again inside what an earlier attempt read, so the time grows with the length of the text and not faster.
const PARTS = /\\([!-/:-@[-`{-~])|(?<!`)(`+)(?!`)([^`]+?)\2|\*\*([^*\n]+)\*\*|__([^_\n]+)__|\*([^*\n]+)\*|\b_([^_\n]+)_\b|(!?)\[([^[\]\n]*)\]\(([^)[\s]+)\)/;

function inline(text) {
  const out = [];
  let rest = text;
  // Each turn takes at least the length of a match, so it ends with the text.
  while (rest !== "") {
    const found = PARTS.exec(rest);
    if (found === null) {
      out.push(rest);
      break;
    }
    out.push(rest.slice(0, found.index));
    const [whole, escaped, , code, strong, strong2, weak, weak2, image, label, target] = found;
    if (escaped !== undefined) out.push(escaped);
    else if (code !== undefined) out.push(h("code", null, code));
    else if (strong !== undefined || strong2 !== undefined) out.push(h("strong", null, strong ?? strong2));
    else if (weak !== undefined || weak2 !== undefined) out.push(h("em", null, weak ?? weak2));
    else if (image === "!" || !/^(https?:|mailto:)/i.test(target)) out.push(`${label} (${target})`);
    else out.push(h("a", { href: target, rel: "noopener noreferrer", target: "_blank", title: target }, label || target), label.includes(target) ? "" : ` (${target})`);
    rest = rest.slice(found.index + whole.length);
  }
  return out;
}
