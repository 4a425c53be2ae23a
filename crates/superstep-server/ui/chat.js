// The conversation of a thread, and the field for a follow-up where the agent declares one.

import { h } from "./dom.js";
import { draftOf, dropDraft, keepDraft } from "./drafts.js";
import { tree } from "./json.js";
import { markdown } from "./markdown.js";
import { textOf } from "./record.js";

const FIELDS = ["messages", "analysis_history"];

const fieldOf = (values) => FIELDS.find((name) => Array.isArray(values?.[name]));

export const hasChat = (values) => fieldOf(values) !== undefined;

const WHO = { human: "You", user: "You", ai: "Agent", assistant: "Agent", AIMessageChunk: "Agent", tool: "Tool", system: "Instructions" };

/** The messages, and the text that is being written. */
export function chat(record, live) {
  const messages = record.values?.[fieldOf(record.values)] ?? [];
  return h(
    "div",
    { class: "chat" },
    messages.length === 0 && (live === null || live.text === "") && h("p", { class: "quiet" }, "No messages yet."),
    messages.map(message),
    live !== null && live.text !== "" && h("article", { class: "said ai live", "aria-busy": "true" }, h("h2", null, "Agent"), markdown(live.text)),
  );
}

/** The input that a text is by the agent's declaration. */
const filled = (template, text) => {
  if (template === "$text") return text;
  if (Array.isArray(template)) return template.map((part) => filled(part, text));
  if (template === null || typeof template !== "object") return template;
  return Object.fromEntries(Object.entries(template).map(([name, part]) => [name, filled(part, text)]));
};

/**
 * A field for the next message. `send(input, onaccepted)` starts the run; the text stays until the server has it, and over
 * whatever else happens to the thread. The element has `update(record, isBusy)`.
 */
export function composer(id, template, send) {
  const key = `${id}/follow-up`;
  const field = h("textarea", { rows: 2, "aria-label": "Your message", placeholder: "Your message. Ctrl+Enter sends.", oninput: () => keepDraft(key, { text: field.value || undefined }) });
  field.value = draftOf(key).text ?? "";
  const button = h("button", { type: "submit", class: "primary" }, "Send");
  const submit = (event) => {
    event.preventDefault();
    if (button.disabled) return;
    if (field.value.trim() === "") return field.focus();
    const text = field.value;
    button.disabled = true;
    send(filled(template, text), () => {
      if (field.value === text) field.value = "";
      if (field.value === "") dropDraft(key);
    });
  };
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event);
  });
  const element = h("form", { onsubmit: submit, class: "row composer" }, field, button);
  element.update = (record, isBusy) => {
    element.hidden = record.status === "interrupted" && !isBusy;
    button.disabled = isBusy;
  };
  return element;
}

function message(one) {
  const kind = one?.type ?? one?.role ?? "unknown";
  const text = textOf(one);
  const calls = one?.tool_calls ?? [];
  return h(
    "article",
    { class: `said ${kind}` },
    h("h2", null, WHO[kind] ?? kind, one?.name ? ` · ${one.name}` : ""),
    text === undefined ? tree(one, 1) : text !== "" && (kind === "tool" ? h("pre", null, text) : markdown(text)),
    calls.map((call) => h("details", { class: "call" }, h("summary", null, `calls ${call.name ?? call.function?.name ?? "a tool"}`), tree(call.args ?? call.arguments ?? call.function ?? {}, 2))),
  );
}
