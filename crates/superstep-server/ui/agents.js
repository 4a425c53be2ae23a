// The first page: what this server hosts, and what ran last.

import { api } from "./api.js";
import { h, show } from "./dom.js";
import { graphOf, status, titleOf } from "./record.js";
import { ago } from "./time.js";

export async function agents(main) {
  const [assistants, recent] = await Promise.all([api.assistants(), api.threads({ limit: 6, sort_by: "updated_at", sort_order: "desc" })]);
  show(
    main,
    h("h1", null, "Agents"),
    assistants.length === 0
      ? h("p", null, "This server hosts no graph.")
      : h("ul", { class: "cards" }, assistants.map(card)),
    h("h2", null, "Latest threads"),
    recent.length === 0 ? h("p", { class: "quiet" }, "None yet. Run an agent, and its thread is here.") : h("ul", { class: "rows" }, recent.map(row)),
  );
}

function card(assistant) {
  const run = `#/run/${encodeURIComponent(assistant.assistant_id)}`;
  const about = assistant.description ?? assistant.metadata?.description;
  return h(
    "li",
    { class: "card" },
    h("h2", null, h("a", { href: run }, assistant.name || assistant.graph_id)),
    about && h("p", null, about),
    h("p", { class: "quiet" }, "Graph ", h("code", null, assistant.graph_id)),
    h("div", { class: "row" }, h("a", { class: "button primary", href: run }, "Run"), h("a", { class: "button", href: `#/threads?graph=${encodeURIComponent(assistant.graph_id)}` }, "Threads")),
  );
}

/** A line about a thread, for lists. */
export function row(thread) {
  return h(
    "li",
    null,
    h("a", { class: "line", href: `#/thread/${encodeURIComponent(thread.thread_id)}` }, status(thread.status), h("span", { class: "title" }, titleOf(thread))),
    h("span", { class: "quiet" }, graphOf(thread)),
    h("span", { class: "quiet when" }, ago(thread.updated_at)),
  );
}
