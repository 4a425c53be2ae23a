// Emphasis, code and links within a line of Markdown.

import { h } from "./dom.js";

// No part begins again inside what an earlier attempt read, so the time grows with the length of the text and not faster.
const PARTS = new RegExp(
  [
    /\\([!-/:-@[-`{-~])/,
    /(?<!`)(`+)(?!`)([^`]+?)\2(?!`)/,
    /\*\*((?:[^*\n]|\*[^*\n]{1,400}\*){1,1000})\*\*/,
    /\b__([^_\n]+)__\b/,
    /\*([^*\s](?:[^*\n]*[^*\s])?)\*/,
    /\b_([^_\n]+)_\b/,
    /~~([^~\n]+)~~/,
    /(!?)\[([^[\]\n]*)\]\(([^)[\s]+)\)/,
    /(https?:\/\/[^\s<>()[\]]{1,2000}[^\s<>()[\].,;:!?"'])/,
  ]
    .map((part) => part.source)
    .join("|"),
);

const DEPTH = 4;

const link = (label, target) => h("a", { href: target, rel: "noopener noreferrer", target: "_blank", title: target }, label);

/**
 * The text with its emphasis as elements.
 * @param {string} text
 */
export function inline(text, depth = 0) {
  const out = [];
  let rest = String(text);
  const nested = (part) => (depth < DEPTH ? inline(part, depth + 1) : part);
  // Each turn takes at least the length of a match, so it ends with the text.
  while (rest !== "") {
    const found = PARTS.exec(rest);
    if (found === null) {
      out.push(rest);
      break;
    }
    out.push(rest.slice(0, found.index));
    const [whole, escaped, , code, strong, strong2, weak, weak2, gone, image, label, target, address] = found;
    if (escaped !== undefined) out.push(escaped);
    else if (code !== undefined) out.push(h("code", null, code.replace(/^ (.*) $/, "$1")));
    else if (strong !== undefined || strong2 !== undefined) out.push(h("strong", null, nested(strong ?? strong2)));
    else if (weak !== undefined || weak2 !== undefined) out.push(h("em", null, nested(weak ?? weak2)));
    else if (gone !== undefined) out.push(h("del", null, nested(gone)));
    else if (address !== undefined) out.push(link(address, address));
    else if (image === "!") out.push(`${label} (${target})`);
    else if (!/^(https?:|mailto:)/i.test(target)) out.push(h("span", { "data-target": target }, `${label} (${target})`));
    else out.push(link(label || target, target), label.includes(target) ? "" : ` (${target})`);
    rest = rest.slice(found.index + whole.length);
  }
  return out;
}
