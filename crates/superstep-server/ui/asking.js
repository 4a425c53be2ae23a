// A question of a thread and the ways to answer it.
//
// A question in the form of Agent Inbox is an approval. Any other one is answered by its options, or by a field for what its
// schema takes.

import { approval, choices } from "./approval.js";
import { notices } from "./blocks.js";
import { h } from "./dom.js";
import { draftOf, keepDraft } from "./drafts.js";
import { human } from "./human.js";
import { tree } from "./json.js";
import { markdown } from "./markdown.js";

/** Names under which questions have their text. */
const WORDS = ["question", "query", "prompt", "message"];

const typesOf = (schema) => [schema?.type].flat().filter((type) => type !== undefined && type !== "null");
const isText = (schema) =>
  schema === null || schema === undefined || (typesOf(schema).length === 1 && typesOf(schema)[0] === "string");

/** Whether a typed line answers a question. */
export const takesText = (ask) => human(ask.value) === null && isText(ask.schema) && !Array.isArray(ask.schema?.enum);

/**
 * The question with its buttons. `id` names its draft. `answer(value, isHeld)` sends an answer and gives a promise, which
 * fails if the server does not take it. The element has `act(name)` for the keys. `hasField` is false where the message box
 * of the conversation takes the answer, and `said` is the text above it, which is not shown twice.
 */
export function question(ask, id, answer, { hasField = true, isInbox = true, said = null } = {}) {
  const asked = human(ask.value);
  return asked === null
    ? open(ask, id, answer, hasField, said)
    : approval({ ...asked, card: ask.view, isInbox }, id, ask.value, answer);
}

/** The text of a question and its other fields. */
function about({ value, view }) {
  if (view?.prompt?.notice) return notices([view.prompt.notice]);
  if (typeof value === "string") return markdown(value);
  const name = WORDS.find((name) => typeof value?.[name] === "string");
  if (name === undefined) return tree(value, 2);
  const { [name]: text, options, answers, understood, turn, kind, ...rest } = value;
  const isMore = Object.values(rest).some((part) => part !== null);
  return [
    markdown(text),
    typeof understood === "string" && h("p", { class: "quiet small" }, `Understood so far: ${understood}`),
    isMore && h("details", null, h("summary", null, "More of the question"), tree(rest, 2)),
  ];
}

/** Whether the text of a question stands above it already. */
function isSaid(value, said) {
  const text = typeof value === "string" ? value : value?.[WORDS.find((name) => typeof value?.[name] === "string")];
  return typeof said === "string" && typeof text === "string" && said.trim() === text.trim();
}

/** Warnings and facts of a question, as the server describes it. */
export function card(view) {
  const warnings = view?.warnings ?? [];
  return [
    warnings.length > 0 &&
      h(
        "ul",
        { class: "warnings" },
        warnings.map(({ level, text }) => h("li", { class: level }, text)),
      ),
    (view?.facts ?? []).length > 0 &&
      h(
        "dl",
        { class: "facts" },
        view.facts.map(({ label, value }) => [h("dt", null, label), h("dd", null, String(value))]),
      ),
  ];
}

function open(ask, id, answer, hasField, said) {
  const { value, schema, view } = ask;
  const problem = h("p", { class: "error", role: "alert", hidden: true });
  const fail = (text) => {
    problem.textContent = text;
    problem.hidden = false;
  };
  let isBusy = false;
  const give = async (given) => {
    if (isBusy) return;
    isBusy = true;
    problem.hidden = true;
    element.setAttribute("aria-busy", "true");
    const parts = [...element.querySelectorAll("button, textarea")];
    for (const part of parts) part.disabled = true;
    try {
      await answer(given, false);
    } catch (error) {
      fail(error.message);
    }
    isBusy = false;
    element.removeAttribute("aria-busy");
    for (const part of parts) part.disabled = false;
  };
  const field = h("textarea", {
    rows: 2,
    "aria-label": "Your answer",
    oninput: () => keepDraft(id, { answer: field.value || undefined }),
  });
  field.value = draftOf(id).answer ?? "";
  const asJson = h("input", { type: "checkbox" });
  const send = (event) => {
    event.preventDefault();
    if (field.value.trim() === "") return field.focus();
    if (isText(schema) && !asJson.checked) return give(field.value);
    try {
      give(JSON.parse(field.value));
    } catch (error) {
      fail(`This is not JSON: ${error.message}`);
    }
  };
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) send(event);
  });
  const options = optionsOf(ask);
  const isNumbered = Array.isArray(value?.options);
  const wantsField = (hasField || !takesText(ask)) && typesOf(schema).join() !== "boolean";
  const element = h(
    "section",
    { class: "question", "aria-label": "Question" },
    h("h2", { class: "hidden-text" }, "Question for you"),
    card(view?.prompt?.notice ? { warnings: view.warnings } : view),
    isSaid(ask.value, said) ? h("p", { class: "quiet small" }, "Answer below, or choose:") : about(ask),
    options.length > 0 && choices(options, (option) => give(option.answer), isNumbered),
    problem,
    wantsField &&
      h(
        "form",
        { onsubmit: send },
        h("label", null, options.length > 0 ? "Another answer" : "Your answer", field),
        h(
          "div",
          { class: "row" },
          h("button", { type: "submit", class: options.length > 0 ? "" : "primary" }, "Answer"),
          schema === null && h("label", { class: "inline" }, asJson, "as JSON"),
        ),
      ),
  );
  element.act = (name) => (name === "respond" ? field.focus() : undefined);
  return element;
}

/** The answers to choose from, as `{label, answer, danger}`. */
function optionsOf({ value, schema, view }) {
  if ((view?.options ?? []).length > 0) return view.options;
  if (Array.isArray(value?.options)) return value.options.map((label, at) => ({ label, answer: value.answers?.[at] ?? label }));
  if (Array.isArray(schema?.enum)) return schema.enum.map((option) => ({ label: String(option), answer: option }));
  if (typesOf(schema).join() === "boolean")
    return [
      { label: "Yes", answer: true },
      { label: "No", answer: false },
    ];
  return [];
}
