// Citations such as `[notes.txt:12-14]` in a text, and links to files such as `../src/cart.rs#L12`, as buttons that open the lines.

import { button } from "./dom.js";

const CITED = /\[([^[\]\n]{1,400}:\d{1,7}(?:-\d{1,7})?(?:[,;] ?[^[\]\n]{1,400})?)\]/g;
const PLACE = /^\s*(?:(.+?):)?(\d{1,7})(?:-(\d{1,7}))?\s*$/;

/** The places that the text in a pair of brackets names: `{path, first, last, text}`, or null if it is no citation. */
export function placesOf(text) {
  let path = null;
  const places = [];
  for (const part of text.split(/[,;]/)) {
    const found = PLACE.exec(part);
    path = found?.[1] ?? path;
    if (found === null || path === null) return null;
    const first = Number(found[2]);
    places.push({ path, first, last: Math.max(first, Number(found[3] ?? first)), text: part.trim() });
  }
  return places;
}

/** Makes the citations in the text of an element buttons; `open(path, first, last)` shows the lines. Code stays as it is. */
export function linkCitations(element, open) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) if (walker.currentNode.parentElement?.closest("pre, code, button, a") === null) texts.push(walker.currentNode);
  for (const node of texts) {
    const parts = [];
    let at = 0;
    for (const found of node.data.matchAll(CITED)) {
      const places = placesOf(found[1]);
      if (places === null) continue;
      parts.push(node.data.slice(at, found.index), "[");
      places.forEach((place, number) => {
        const label = `Open ${place.path}, line ${place.first}`;
        if (number > 0) parts.push(", ");
        parts.push(button(place.text, () => open(place.path, place.first, place.last), "link cite", { "aria-label": label }));
      });
      parts.push("]");
      at = found.index + found[0].length;
    }
    if (parts.length > 0) node.replaceWith(...parts, node.data.slice(at));
  }
  return element;
}

const LINE = /^([^\s:`]+\.\w+):(\d{1,7})(?:-(\d{1,7}))?$/;

/** Makes code such as `src/cart.rs:12` a button that opens the line. */
export function linkCode(element, open) {
  for (const code of element.querySelectorAll(":not(pre) > code")) {
    const found = LINE.exec(code.textContent);
    if (found === null || code.closest("button, a") !== null) continue;
    const [text, path, line] = found;
    const first = Number(line);
    const shown = button("", () => open(path, first, Number(found[3] ?? first)), "link cite", {
      "aria-label": `Open ${path}, line ${line}`,
    });
    code.replaceWith(shown);
    shown.append(code);
    code.textContent = text;
  }
  return element;
}

const FILE = /^(?:\.{1,2}\/)*([^#?:]+)(?:#L(\d{1,7})(?:-L?(\d{1,7}))?)?$/;

/** Makes links to files buttons; `open(path, first, last)` shows a page or the lines of a file. */
export function linkFiles(element, open) {
  for (const span of element.querySelectorAll("[data-target]")) {
    const target = span.getAttribute("data-target");
    const found = FILE.exec(target);
    if (found === null) continue;
    const [, path, line] = found;
    const first = Number(line ?? 0);
    const label = span.textContent.slice(0, -(target.length + 3)).replaceAll("`", "");
    span.replaceWith(button(label || path, () => open(path, first, Number(found[3] ?? first)), "link cite", { title: target }));
  }
  return element;
}
