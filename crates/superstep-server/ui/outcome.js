// How a run ended, where that needs an act: it failed, was refused or was stopped, or there is a text to keep.

import { notices } from "./blocks.js";
import { button, h } from "./dom.js";
import { saveAs } from "./files.js";

const TITLES = { failed: "This run failed", refused: "The agent refused this", stopped: "Stopped before the end" };

/** What stands below the conversation, or null. `go()` continues from the last step. */
export function outcomeCard(view, { go }) {
  const { status, notices: said = [] } = view.outcome ?? {};
  const title = TITLES[status];
  if (title === undefined) return status === "done" ? [result(view), keep(view)] : null;
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

/** What the agent reports and has not said: its answer, with the details below it folded. */
function result({ outcome, transcript }) {
  const told = JSON.stringify(transcript);
  const blocks = outcome.notices.flatMap(({ blocks = [] }) => blocks).filter(({ kind }) => kind === "line");
  const isNew = ({ spans }) => spans.some(({ text }) => text.trim() !== "" && !told.includes(JSON.stringify(text).slice(1, -1)));
  const answer = blocks.filter((block) => block.weight === "data" && isNew(block));
  if (answer.length === 0) return null;
  const details = blocks.filter(({ weight }) => weight === "note");
  return h(
    "section",
    { class: "outcome done", "aria-label": "Result" },
    h("h2", null, "Result"),
    notices([{ blocks: answer }]),
    details.length > 0 && h("details", null, h("summary", { class: "small" }, "Details"), notices([{ blocks: details }])),
  );
}

/** A result that is a text, as a file. Short replies are copied from their turn. */
function keep({ title, outcome }) {
  const pieces = outcome.notices.flatMap(({ blocks = [] }) => blocks.filter(({ kind }) => kind === "piece"));
  const text = pieces.map((block) => block.text).join("");
  if (!/^#{1,3} /m.test(text)) return null;
  const name = `${title.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "-").replaceAll(/^-|-$/g, "").slice(0, 60) || "result"}.md`;
  return h("div", { class: "row" }, button(`Download ${name}`, () => saveAs(name, new Blob([text], { type: "text/markdown" }))));
}
