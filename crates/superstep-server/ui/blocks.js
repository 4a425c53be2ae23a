// Notices of agents as elements: lines, streamed Markdown, tables, files, differences and announcements.

import { h } from "./dom.js";
import { lines } from "./diff.js";
import { fileCard } from "./files.js";
import { plural } from "./json.js";
import { markdown } from "./markdown.js";
import { table } from "./table.js";

/**
 * The blocks of all notices, in order. Pieces of a streamed text that follow each other are one text.
 * @param {{blocks: any[]}[]} notices
 */
export function notices(notices) {
  const out = [];
  let text = null;
  let indented = [];
  const end = () => {
    if (text !== null && text.trim() !== "") out.push(markdown(text));
    text = null;
    out.push(...folded(indented));
    indented = [];
  };
  for (const block of (notices ?? []).flatMap((notice) => notice.blocks ?? [])) {
    if (block.kind === "piece") text = (text ?? "") + block.text;
    else if (isIndented(block)) indented.push(draw(block));
    else {
      end();
      const drawn = draw(block);
      if (drawn !== null) out.push(drawn);
    }
  }
  end();
  return out;
}

const FEW = 5;
const isIndented = ({ kind, spans: all }) => kind === "line" && /^ {2,}$/.test(all?.[0]?.text ?? "");

/** Lines below another: many of them are folded. */
const folded = (lines) =>
  lines.length > FEW ? [h("details", null, h("summary", { class: "small" }, plural(lines.length, "detail")), lines)] : lines;

function draw(block) {
  switch (block.kind) {
    case "line":
      return h("p", { class: `said-line ${block.weight}` }, spans(block.spans));
    case "table":
      if ((block.columns ?? []).length === 0) return h("pre", { tabIndex: 0 }, (block.text ?? []).join("\n"));
      return table(block.columns, block.rows ?? [], { sorts: true });
    case "file":
      return fileCard(block);
    case "diff":
      return difference(block);
    case "announcement":
      return h(
        "div",
        { class: "announcement" },
        (block.lines ?? []).map((line) => h("p", null, spans(line))),
      );
    default:
      return null;
  }
}

const TAGS = { strong: "strong", code: "code" };

const spans = (all) =>
  (all ?? []).map(({ style, text }) =>
    style === "plain" ? text : h(TAGS[style] ?? "span", TAGS[style] ? null : { class: style }, text),
  );

function difference({ title, hunks }) {
  const parts = (hunks ?? []).map((hunk) => lines((hunk.old ?? []).join("\n"), (hunk.new ?? []).join("\n")));
  return h("div", { class: "difference" }, title && h("p", { class: "quiet small" }, title), parts);
}
