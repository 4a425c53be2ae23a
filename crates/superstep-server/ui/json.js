// A value as a tree that can be folded, and a field to edit one.

import { h } from "./dom.js";
import { download, isHash } from "./files.js";

const LONG = 50;

/** The value as nested lists; `open` levels are unfolded at first. */
export function tree(value, open = 2) {
  return h("div", { class: "json" }, node(value, open));
}

function node(value, open) {
  if (value === null || typeof value !== "object") return leaf(value);
  const entries = Array.isArray(value) ? value.map((item, index) => [index, item]) : Object.entries(value);
  if (entries.length === 0) return h("span", { class: "punctuation" }, Array.isArray(value) ? "[]" : "{}");
  const summary = Array.isArray(value) ? plural(entries.length, "item") : plural(entries.length, "field");
  const body = h("ul", null);
  const fill = (from) => {
    const rest = entries.slice(from, from + LONG);
    for (const [key, item] of rest) body.append(h("li", null, h("span", { class: "key" }, String(key)), " ", node(item, open - 1)));
    const next = from + LONG;
    if (next < entries.length) {
      const more = h(
        "button",
        { type: "button", class: "link", onclick: () => (more.remove(), fill(next)) },
        `${entries.length - next} more`,
      );
      body.append(h("li", null, more));
    }
  };
  const box = h("details", { open: open > 0 }, h("summary", null, summary), body);
  let filled = false;
  const once = () => {
    if (box.open && !filled) {
      filled = true;
      fill(0);
    }
  };
  box.addEventListener("toggle", once);
  once();
  return box;
}

function leaf(value) {
  if (isHash(value)) return h("span", null, h("code", null, value), " ", download(value));
  if (typeof value === "string")
    return h("span", { class: value.includes("\n") ? "string block" : "string" }, value === "" ? "“”" : value);
  return h("span", { class: value === null ? "null" : typeof value }, String(value));
}

export const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

/** A text field for a value. `read()` gives the value, or null after it has shown what is wrong with the text. */
export function editor(value, label) {
  const problem = h("p", { class: "error", hidden: true, role: "alert" });
  const field = h("textarea", {
    class: "code",
    rows: Math.min(24, 4 + pretty(value).split("\n").length),
    spellcheck: false,
    "aria-label": label,
  });
  field.value = pretty(value);
  const read = () => {
    try {
      const parsed = JSON.parse(field.value);
      problem.hidden = true;
      field.removeAttribute("aria-invalid");
      return { value: parsed };
    } catch (error) {
      problem.textContent = `This is not JSON: ${error.message}`;
      problem.hidden = false;
      field.setAttribute("aria-invalid", "true");
      field.focus();
      return null;
    }
  };
  return { element: h("div", { class: "editor" }, field, problem), field, read };
}

export const pretty = (value) => JSON.stringify(value ?? null, null, 2);

/** A short line about a value, for lists. */
export function brief(value, length = 120) {
  const text = typeof value === "string" ? value : JSON.stringify(value ?? null);
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}
