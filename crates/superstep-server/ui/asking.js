// A question of a thread and the ways to answer it.
//
// A question in the form of Agent Inbox (`action_request`, `config`, `description`) is accepted, edited, answered or ignored, as
// far as it allows that; the answer is a list of one `{type, args}`. Any other question gets a text or a value.

import { lines } from "./diff.js";
import { h, show } from "./dom.js";
import { editor, pretty, tree } from "./json.js";
import { markdown } from "./markdown.js";

/** The question as Agent Inbox has it, or null. A list of one and JSON in a text are taken too. */
export function human(value) {
  let found = value;
  if (typeof found === "string") {
    try {
      found = JSON.parse(found);
    } catch {
      return null;
    }
  }
  if (Array.isArray(found)) found = found.length === 1 ? found[0] : null;
  const request = found?.action_request;
  if (typeof request?.action !== "string") return null;
  return { action: request.action, args: request.args ?? {}, config: found.config ?? {}, description: found.description ?? "" };
}

/** Where questions have their text. */
const WORDS = ["question", "query", "prompt", "message"];

/** What a list says about a question: `{title, about}`. */
export function summary(value) {
  const asked = human(value);
  if (asked !== null) return { title: asked.args?.subject ?? asked.action, about: asked.args?.to ?? asked.args?.email_address ?? "" };
  const name = WORDS.find((name) => typeof value?.[name] === "string");
  const text = typeof value === "string" ? value : value?.[name];
  return { title: typeof text === "string" ? text : pretty(value), about: "" };
}

/** The question with its buttons. `answer(value)` sends it. The element has `act(name)` for the keys. */
export function question(value, answer) {
  const asked = human(value);
  return asked === null ? open(value, answer) : action(asked, answer);
}

function action({ action, args, config, description }, answer) {
  const place = h("div");
  const respond = (type, value) => answer([{ type, args: value }]);
  const acts = {
    accept: config.allow_accept && (() => respond("accept", null)),
    edit: config.allow_edit && (() => edit()),
    respond: config.allow_respond && (() => reply()),
    ignore: config.allow_ignore && (() => respond("ignore", null)),
  };
  const edit = () => {
    const form = fields(args);
    const changed = h("div", { class: "changed" });
    const check = () => {
      const got = form.read();
      if (got !== null) show(changed, h("h4", null, "Your changes"), lines(pretty(args), pretty(got)));
      return got;
    };
    form.element.addEventListener("input", check);
    show(
      place,
      form.element,
      changed,
      h("div", { class: "row" }, h("button", { type: "button", class: "primary", onclick: () => { const got = check(); if (got !== null) respond("edit", { action, args: got }); } }, "Send the edited call"), cancel()),
    );
    form.element.querySelector("textarea, input")?.focus();
  };
  const reply = () => {
    const field = h("textarea", { rows: 3, "aria-label": "Your answer", placeholder: "Tell the agent what to do instead" });
    show(
      place,
      field,
      h("div", { class: "row" }, h("button", { type: "button", class: "primary", onclick: () => (field.value.trim() === "" ? field.focus() : respond("response", field.value)) }, "Send the answer"), cancel()),
    );
    field.focus();
  };
  const buttons = h(
    "div",
    { class: "row" },
    acts.accept && h("button", { type: "button", class: "primary", onclick: acts.accept }, "Accept"),
    acts.edit && h("button", { type: "button", onclick: acts.edit }, "Edit"),
    acts.respond && h("button", { type: "button", onclick: acts.respond }, "Respond"),
    acts.ignore && h("button", { type: "button", onclick: acts.ignore }, "Ignore"),
  );
  const cancel = () => h("button", { type: "button", onclick: () => show(place, buttons) }, "Back");
  show(place, buttons);
  const element = h(
    "section",
    { class: "question", "aria-label": `Question: ${action}` },
    h("h3", null, action),
    h("dl", { class: "args" }, Object.entries(args ?? {}).map(([name, value]) => [h("dt", null, name), h("dd", null, typeof value === "string" ? h("div", { class: "string block" }, value) : tree(value, 2))])),
    place,
    description !== "" && h("details", { open: true }, h("summary", null, "What it is about"), markdown(description)),
  );
  element.act = (name) => acts[name] && acts[name]();
  return element;
}

/** A field for each argument; `read()` gives the arguments, or null while one of them is not JSON. */
function fields(args) {
  const all = Object.entries(args ?? {}).map(([name, value]) => {
    const id = `arg-${name}`;
    if (typeof value === "string") {
      const field = h("textarea", { id, rows: Math.min(14, 1 + value.split("\n").length) });
      field.value = value;
      return { name, id, element: field, read: () => ({ value: field.value }) };
    }
    const json = editor(value, name);
    json.field.id = id;
    return { name, id, element: json.element, read: json.read };
  });
  return {
    element: h("div", { class: "form" }, all.map(({ name, id, element }) => h("div", { class: "field" }, h("label", { for: id }, name), element))),
    read: () => {
      const out = {};
      for (const { name, read } of all) {
        const got = read();
        if (got === null) return null;
        out[name] = got.value;
      }
      return out;
    },
  };
}

/** The text of a question, and what else it has. */
function about(value) {
  if (typeof value === "string") return markdown(value);
  const name = WORDS.find((name) => typeof value?.[name] === "string");
  if (name === undefined) return tree(value, 2);
  const { [name]: text, ...rest } = value;
  const more = Object.keys(rest).length > 0 && h("details", null, h("summary", null, "More of the question"), tree(rest, 2));
  return [markdown(text), more];
}

function open(value, answer) {
  const id = `answer-${Math.random().toString(36).slice(2)}`;
  const field = h("textarea", { id, rows: 3 });
  const problem = h("p", { class: "error", role: "alert", hidden: true });
  const asJson = h("input", { type: "checkbox", id: `${id}-json` });
  const yesNo = h(
    "div",
    { class: "row" },
    h("button", { type: "button", onclick: () => answer(true) }, "Yes"),
    h("button", { type: "button", onclick: () => answer(false) }, "No"),
  );
  const send = (event) => {
    event.preventDefault();
    if (!asJson.checked) return field.value.trim() === "" ? field.focus() : answer(field.value);
    try {
      problem.hidden = true;
      answer(JSON.parse(field.value));
    } catch (error) {
      problem.textContent = `This is not JSON: ${error.message}`;
      problem.hidden = false;
    }
  };
  const element = h(
    "section",
    { class: "question", "aria-label": "Question" },
    about(value),
    h("form", { onsubmit: send }, h("label", { for: id }, "Your answer"), field, problem, h("div", { class: "row" }, h("button", { type: "submit", class: "primary" }, "Answer"), yesNo, h("label", { class: "inline" }, asJson, "as JSON"))),
  );
  element.act = (name) => (name === "respond" ? field.focus() : undefined);
  return element;
}
