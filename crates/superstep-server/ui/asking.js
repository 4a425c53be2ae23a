// A question of a thread and the ways to answer it.
//
// A question in the form of Agent Inbox is an approval. Any other one is answered by its options, or by what its schema wants.

import { approval, choices } from "./approval.js";
import { h } from "./dom.js";
import { draftOf, keepDraft } from "./drafts.js";
import { human } from "./human.js";
import { pretty, tree } from "./json.js";
import { markdown } from "./markdown.js";

/** Where questions have their text. */
const WORDS = ["question", "query", "prompt", "message"];

/** What a list says about a question: `{title, about, isRisky}`. */
export function summary(value) {
  const asked = human(value);
  if (asked !== null) {
    const { view, args, action } = asked;
    const to = view?.letter?.to.map((one) => one.email).join(", ") ?? args?.to ?? "";
    return { title: view?.title ?? args?.subject ?? action, about: typeof to === "string" && to !== "" ? `to ${to}` : "", isRisky: (view?.warnings ?? []).length > 0 };
  }
  const name = WORDS.find((name) => typeof value?.[name] === "string");
  const text = typeof value === "string" ? value : value?.[name];
  return { title: typeof text === "string" ? text : pretty(value), about: "", isRisky: false };
}

/**
 * The question with its buttons. `id` names its draft. `answer(value, isHeld)` sends an answer and gives a promise, which
 * fails if the server does not take it. The element has `act(name)` for the keys.
 */
export function question(ask, id, answer) {
  const asked = human(ask.value);
  return asked === null ? open(ask, id, answer) : approval(asked, id, ask.value, answer);
}

/** The text of a question, and what else it has. */
function about(value) {
  if (typeof value === "string") return markdown(value);
  const name = WORDS.find((name) => typeof value?.[name] === "string");
  if (name === undefined) return tree(value, 2);
  const { [name]: text, options, answers, ...rest } = value;
  const isMore = Object.values(rest).some((part) => part !== null);
  return [markdown(text), isMore && h("details", null, h("summary", null, "More of the question"), tree(rest, 2))];
}

const typesOf = (schema) => [schema?.type].flat().filter((type) => type !== undefined && type !== "null");

function open({ value, schema }, id, answer) {
  const types = typesOf(schema);
  const isText = types.length === 1 && types[0] === "string";
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
    for (const part of element.querySelectorAll("button, textarea")) part.disabled = true;
    try {
      await answer(given, false);
    } catch (error) {
      fail(error.message);
    }
    isBusy = false;
    element.removeAttribute("aria-busy");
    for (const part of element.querySelectorAll("button, textarea")) part.disabled = false;
  };
  const field = h("textarea", { rows: 3, "aria-label": "Your answer", oninput: () => keepDraft(id, { answer: field.value || undefined }) });
  field.value = draftOf(id).answer ?? "";
  const asJson = h("input", { type: "checkbox" });
  const send = (event) => {
    event.preventDefault();
    if (field.value.trim() === "") return field.focus();
    // Whatever is no text is written as JSON.
    const isPlain = isText || (schema === undefined && !asJson.checked);
    if (isPlain) return give(field.value);
    try {
      give(JSON.parse(field.value));
    } catch (error) {
      fail(`This is not JSON: ${error.message}`);
    }
  };
  const options = optionsOf(value, schema, types);
  const element = h(
    "section",
    { class: "question", "aria-label": "Question" },
    about(value),
    options.length > 0 && choices(options.map(([label]) => label), (_label, at) => give(options[at][1]), Array.isArray(value?.options)),
    problem,
    types.join() !== "boolean" &&
      h(
        "form",
        { onsubmit: send },
        h("label", null, options.length > 0 ? "Another answer" : "Your answer", field),
        h("div", { class: "row" }, h("button", { type: "submit", class: options.length > 0 ? "" : "primary" }, "Answer"), schema === undefined && h("label", { class: "inline" }, asJson, "as JSON")),
      ),
  );
  element.act = (name) => (name === "respond" ? field.focus() : undefined);
  return element;
}

/** What can be chosen, as pairs of a label and the answer that it stands for. */
function optionsOf(value, schema, types) {
  if (Array.isArray(value?.options)) return value.options.map((option, at) => [option, value.answers?.[at] ?? option]);
  if (Array.isArray(schema?.enum)) return schema.enum.map((option) => [String(option), option]);
  if (types.join() === "boolean") return [["Yes", true], ["No", false]];
  return [];
}
