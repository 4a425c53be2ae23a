// A document or a source file in a dialog, with numbered lines, opened at the cited ones.

import { api } from "./api.js";
import { button, h, say } from "./dom.js";

// Lines drawn around the cited ones; a file may have a million.
const ROOM = 2000;

/** Opens a text that a thread names, at its cited lines; line 0 cites none. */
export async function openText(thread, name, first = 0, last = first) {
  let text;
  try {
    text = await api.text(thread, name);
  } catch (error) {
    return say(error.message, "error");
  }
  const lines = text.split("\n");
  const from = Math.max(0, Math.min(first, lines.length) - ROOM);
  const shown = lines.slice(from, from + 2 * ROOM);
  const isCited = (number) => number >= first && number <= last;
  const drawn = shown.map((line, at) => {
    const number = from + at + 1;
    return h("li", { class: isCited(number) ? "cited" : "", value: number }, line === "" ? " " : line);
  });
  const box = h(
    "dialog",
    { class: "reader", "aria-label": name },
    h(
      "header",
      { class: "row" },
      h("h2", null, name),
      h("span", { class: "quiet small" }, `${lines.length.toLocaleString("en")} lines`),
      button("Close", () => box.close()),
    ),
    shown.length < lines.length && h("p", { class: "quiet small" }, `Lines ${from + 1} to ${from + shown.length} are shown.`),
    h("ol", { class: "lines", tabIndex: 0, "aria-label": `Text of ${name}` }, drawn),
  );
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
  box.querySelector(".cited")?.scrollIntoView({ block: "center" });
}
