// The status of a conversation, in words and with a sign that does not depend on color.

import { h } from "./dom.js";

const WORDS = {
  running: ["working", "◌", "busy"],
  waiting: ["your turn", "?", "warn"],
  done: ["done", "✓", "good"],
  failed: ["failed", "!", "bad"],
  refused: ["refused", "!", "bad"],
  stopped: ["stopped", "■", "warn"],
};

export const statusWord = (status) => WORDS[status]?.[0] ?? "new";

/** A chip; an open question counts more than how the last run ended. */
export function statusChip(status, questions = 0) {
  const [word, , kind] = WORDS[questions > 0 && status !== "running" ? "waiting" : status] ?? ["new", "·", ""];
  return h("span", { class: `chip status ${kind}` }, word);
}

/** A sign for rows of lists. */
export function statusSign(status) {
  const [word, sign, kind] = WORDS[status] ?? ["new", "·", ""];
  return h("span", { class: `dot ${kind}`, role: "img", "aria-label": word, title: word }, sign);
}
