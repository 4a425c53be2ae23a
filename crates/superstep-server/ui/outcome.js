// How a run ended, where that needs an act: it failed, was refused or was stopped.

import { notices } from "./blocks.js";
import { button, h } from "./dom.js";

const TITLES = { failed: "This run failed", refused: "The agent refused this", stopped: "Stopped before the end" };

/** The card below the conversation, or null. `go()` continues from the last step. */
export function outcomeCard(view, { go }) {
  const { status, notices: said = [] } = view.outcome ?? {};
  const title = TITLES[status];
  if (title === undefined) return null;
  const last = view.transcript.at(-1);
  const isSaid = last?.role === "agent" && JSON.stringify(last.notices) === JSON.stringify(said);
  const label = view.actions.includes("retry")
    ? "Try again"
    : view.actions.includes("resume")
      ? "Continue from the last step"
      : null;
  if (label === null && (isSaid || said.length === 0)) return null;
  return h(
    "section",
    { class: `outcome ${status}`, "aria-label": "How it ended" },
    h("h2", null, title),
    !isSaid && notices(said),
    label !== null &&
      h(
        "div",
        { class: "row" },
        button(label, go, "primary"),
        h("span", { class: "quiet small" }, "Steps that are done are not repeated."),
      ),
  );
}
