// A turn of a conversation: what a person sent, what the agent reported, or the mail that it is about.

import { notices } from "./blocks.js";
import { button, h } from "./dom.js";
import { markdown } from "./markdown.js";
import { pretty } from "./json.js";
import { ago } from "./time.js";

const WHO = { person: "You", agent: "Agent", mail: "Mail" };

/**
 * @param {import("./adapter.js").Turn} turn
 * @param {{edit: (() => void) | null, name: string}} options `edit` continues from before this turn with other words
 */
export function turnElement(turn, { edit, name }) {
  const who = turn.role === "agent" ? name : (WHO[turn.role] ?? turn.role);
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
  const calls = (turn.calls ?? []).map(call);
  if (turn.role === "mail")
    return h("article", { class: "turn mail", "aria-label": "The mail" }, shown, h("div", { class: "letter-text", tabIndex: 0 }, text));
  return h(
    "article",
    { class: `turn ${turn.role}` },
    h("h2", { class: "who" }, who),
    h("div", { class: "bubble" }, body, shown, calls),
    tools,
  );
}

async function copied(pressed, text) {
  await navigator.clipboard.writeText(text);
  pressed.textContent = "Copied";
  setTimeout(() => (pressed.textContent = "Copy"), 1500);
}

/** A call of a tool that an earlier run made. */
function call({ name, args, result }) {
  const given = typeof args === "string" ? args : pretty(args);
  return h(
    "details",
    { class: "call" },
    h("summary", null, h("span", { class: "sign", "aria-hidden": "true" }, result === undefined ? "·" : "✓"), ` ${name}`),
    h("p", { class: "quiet small" }, "Arguments"),
    h("pre", { tabIndex: 0 }, given),
    result !== undefined && [h("p", { class: "quiet small" }, "Result"), h("pre", { tabIndex: 0 }, result)],
  );
}

/** Puts turns into a list of elements. Those that did not change keep their element, and with it selection and place. */
export function reconcile(log, turns, draw) {
  const kept = new Map([...log.children].map((element) => [element.dataset.turn, element]));
  const wanted = turns.map((turn, at) => {
    const key = `${at}:${JSON.stringify(turn)}`;
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
