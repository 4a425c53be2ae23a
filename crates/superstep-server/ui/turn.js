// A turn of a conversation: what a person sent, or what the agent reported.

import { notices } from "./blocks.js";
import { button, h } from "./dom.js";
import { markdown } from "./markdown.js";
import { ago } from "./time.js";

/**
 * @param {import("./adapter.js").Turn} turn
 * @param {{edit: (() => void) | null, name: string}} options `edit` continues from before this turn with other words
 */
export function turnElement(turn, { edit, name }) {
  const who = turn.role === "agent" ? name : "You";
  const copy = (text) => button("Copy", (event) => copied(event.currentTarget, text), "link");
  const text = turn.text ?? "";
  const tools = h(
    "div",
    { class: "tools row small" },
    turn.at && ago(new Date(turn.at).toISOString()),
    text !== "" && copy(text),
    turn.role === "person" && edit !== null && button("Edit", edit, "link"),
  );
  const body = turn.role === "agent" ? text !== "" && markdown(text) : text !== "" && h("div", { class: "plain" }, text);
  const shown = notices(turn.notices);
  return h(
    "article",
    { class: `turn ${turn.role}` },
    h("h2", { class: "who" }, who),
    h("div", { class: "bubble" }, body, shown),
    tools,
  );
}

async function copied(pressed, text) {
  await navigator.clipboard.writeText(text);
  pressed.textContent = "Copied";
  setTimeout(() => (pressed.textContent = "Copy"), 1500);
}

/**
 * Puts turns into a list of elements, those from a place on. Turns that did not change keep their element, and with it
 * selection and place.
 */
export function reconcile(log, turns, from, draw) {
  const kept = new Map([...log.children].map((element) => [element.dataset.turn, element]));
  const wanted = turns.slice(from).map((turn, at) => {
    const key = `${from + at}:${JSON.stringify(turn)}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const element = draw(turn, at);
    element.dataset.turn = key;
    return element;
  });
  const keep = new Set(wanted);
  for (const element of [...log.children]) if (!keep.has(element)) element.remove();
  wanted.forEach((element, at) => {
    if (log.children[at] !== element) log.insertBefore(element, log.children[at] ?? null);
  });
}
