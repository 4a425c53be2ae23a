// Notices of agents as elements: lines, streamed Markdown, tables, files, differences and announcements.

import { h } from "./dom.js";
import { lines } from "./diff.js";
import { fileCard } from "./files.js";
import { markdown } from "./markdown.js";
import { table } from "./table.js";

/**
 * The blocks of all notices, in order. Pieces of a streamed text that follow each other are one text.
 * @param {{blocks: any[]}[]} notices
 */
export function notices(notices) {
  const out = [];
  let text = null;
  const end = () => {
    if (text !== null && text.trim() !== "") out.push(markdown(text));
    text = null;
  };
  for (const block of (notices ?? []).flatMap((notice) => notice.blocks ?? [])) {
    if (block.kind === "piece") text = (text ?? "") + block.text;
    else {
      end();
      const drawn = draw(block);
      if (drawn !== null) out.push(drawn);
    }
  }
  end();
  return out;
}

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
