// Keys that work on every screen, and those that the shown screen adds.

import { h, dialog } from "./dom.js";

const EVERYWHERE = [
  ["g", "h", "Home", () => (location.hash = "#/")],
  ["g", "i", "Inbox", () => (location.hash = "#/inbox")],
  ["g", "t", "All conversations", () => (location.hash = "#/threads")],
  ["g", "r", "Runs", () => (location.hash = "#/runs")],
  ["g", "m", "Memory", () => (location.hash = "#/memory")],
];

let own = [];
let first = null;

/** Adds keys for the shown screen: `[key, what it does, function(event)]`. Gives a function that takes them away. */
export function bind(list) {
  own = list;
  return () => {
    if (own === list) own = [];
  };
}

/** Shows all of them. */
export function keys() {
  const line = (name, what) => [h("dt", null, h("kbd", null, name)), h("dd", null, what)];
  return dialog(
    "Keyboard",
    h(
      "dl",
      { class: "keys" },
      EVERYWHERE.map(([one, two, what]) => line(`${one} ${two}`, what)),
      line("?", "This list"),
      own.map(([key, what]) => line(key, what)),
    ),
    [{ label: "Close", value: "closed" }],
  );
}

/** Handles a key that was not typed into a field. */
export function press(event) {
  const target = event.target;
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))) return;
  if (document.querySelector("dialog[open]") !== null) return;
  // A held key acts once: an answer must not be given by a finger that stayed down.
  if (event.repeat && !/^[jk]$|^Arrow/.test(event.key)) return;
  if (event.key === "?") return void keys();
  const pair = EVERYWHERE.find(([one, two]) => first === one && two === event.key);
  first = event.key === "g" ? "g" : null;
  const action = pair?.[3] ?? own.find(([key]) => key === event.key)?.[2];
  if (action === undefined) return;
  event.preventDefault();
  action(event);
}
