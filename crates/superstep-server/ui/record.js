// What the screens read from the record of a thread.

import { h } from "./dom.js";
import { brief } from "./json.js";

export const STATUSES = ["idle", "busy", "interrupted", "error"];

const WORDS = { idle: "done", busy: "running", interrupted: "waiting", error: "failed" };

/** The status in the words of the command line, with a sign that does not depend on color. */
export function status(name) {
  const signs = { idle: "✓", busy: "▶", interrupted: "?", error: "!" };
  return h("span", { class: `status ${name}` }, h("span", { "aria-hidden": "true" }, signs[name] ?? "·"), ` ${WORDS[name] ?? name}`);
}

export const word = (name) => WORDS[name] ?? name;

export const graphOf = (thread) => thread.metadata?.graph_id ?? "no graph yet";

/** What a thread is about: its title, else its first text, else its id. */
export function titleOf(thread) {
  const values = thread.values ?? {};
  const candidates = [
    thread.metadata?.title,
    thread.metadata?.thread_name,
    values.query,
    values.user_input,
    values.instruction,
    values.problem?.instruction,
    values.email_input?.subject,
    values.email_input?.mail?.subject,
    values.request?.root,
    values.message_history?.[0]?.question,
    textOf(values.messages?.[0]),
    values.subject,
    values.topic,
  ];
  const found = candidates.find((candidate) => typeof candidate === "string" && candidate.trim() !== "");
  return found === undefined ? thread.thread_id : brief(found, 90);
}

/** The text of a message, whatever form its content has. */
export function textOf(message) {
  const content = message?.content ?? message?.text;
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return undefined;
  return content.map((part) => (typeof part === "string" ? part : (part.text ?? ""))).join("");
}

/** The open questions of a thread as a list of `{id, value, schema, task}`. */
export function asks(thread) {
  return Object.entries(thread.interrupts ?? {}).flatMap(([task, list]) => list.map((ask) => ({ task, id: ask.id ?? ask.interrupt_id, value: ask.value, schema: ask.schema })));
}
