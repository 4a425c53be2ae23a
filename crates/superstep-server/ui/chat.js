// The conversation of a thread: fields that hold messages, and Archie's `analysis_history`.

import { h } from "./dom.js";
import { tree } from "./json.js";
import { markdown } from "./markdown.js";
import { textOf } from "./record.js";

const FIELDS = ["messages", "analysis_history"];

const fieldOf = (values) => FIELDS.find((name) => Array.isArray(values?.[name]));

export const hasChat = (values) => fieldOf(values) !== undefined;

const WHO = { human: "You", user: "You", ai: "Agent", assistant: "Agent", AIMessageChunk: "Agent", tool: "Tool", system: "Instructions" };

/** The messages, the text that is being written, and a field for the next message where `send(input)` is given. */
export function chat(record, live, send) {
  const name = fieldOf(record.values);
  const messages = name === undefined ? [] : record.values[name];
  const field = h("textarea", { rows: 2, "aria-label": "Your message", placeholder: "Your message. Ctrl+Enter sends." });
  const submit = (event) => {
    event?.preventDefault();
    if (field.value.trim() === "") return field.focus();
    const content = field.value;
    field.value = "";
    send({ messages: [{ role: "user", content }] });
  };
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event);
  });
  const canWrite = send !== null && name === "messages" && record.status !== "interrupted";
  return h(
    "div",
    { class: "chat" },
    messages.length === 0 && (live === null || live.text === "") && h("p", { class: "quiet" }, "Nothing was said yet."),
    messages.map(message),
    live !== null && live.text !== "" && h("article", { class: "said ai live", "aria-busy": "true" }, h("h2", null, "Agent"), markdown(live.text)),
    canWrite && h("form", { onsubmit: submit, class: "row" }, field, h("button", { type: "submit", class: "primary" }, "Send")),
  );
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
