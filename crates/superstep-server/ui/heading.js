// The head of a conversation: title, status, spend, the views of it, and what can be done with all of it.

import { api } from "./api.js";
import { button, chip, confirmed, h, say } from "./dom.js";
import { plural } from "./json.js";
import { statusChip } from "./status.js";
import { ago } from "./time.js";

/** Views besides the conversation. Their modules are loaded when they are opened. */
export const TABS = {
  trace: { label: "Trace", open: async (on) => (await import("./trace.js")).trace(on) },
  graph: { label: "Graph", open: async (on) => (await import("./graph.js")).graphTab(on) },
  state: { label: "State", open: async (on) => (await import("./steps.js")).steps(on) },
};

export function heading({ id, view, record, agent, tab, side, isBusy, refresh }) {
  const link = (name, label) =>
    h(
      "a",
      {
        href: `#/thread/${encodeURIComponent(id)}${name === "" ? "" : `/${name}`}`,
        "aria-current": tab === name ? "page" : null,
        "data-tab": name,
        // A view takes the place of the one before it in the history of the browser.
        onclick: (event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          location.replace(event.currentTarget.href);
        },
      },
      label,
    );
  const label = side.label();
  return [
    h("h1", { tabIndex: -1, title: view.title }, view.title),
    h(
      "span",
      { class: "row" },
      statusChip(isBusy ? "running" : view.outcome?.status, view.questions.length),
      spend(view.usage),
      agent === null && chip("This agent is not hosted here"),
    ),
    h(
      "nav",
      { class: "tabs", "aria-label": "Views" },
      link("", "Conversation"),
      label !== null && link("result", label),
      Object.entries(TABS).map(([name, one]) => link(name, one.label)),
    ),
    h(
      "details",
      { class: "menu" },
      h("summary", { "aria-label": "More" }, "⋯"),
      h(
        "div",
        { class: "items" },
        h(
          "p",
          { class: "quiet small" },
          agent?.title ?? record.metadata?.graph_id ?? "No agent",
          " · changed ",
          ago(record.updated_at),
        ),
        h("p", { class: "quiet small" }, h("code", null, id)),
        button("Copy as a new conversation", () => copy(id)),
        button("Delete", () => remove(id), "danger"),
      ),
    ),
  ];
}

function spend(usage) {
  if (!usage || !usage.calls) return null;
  const tokens = (usage.input_tokens ?? 0) + (usage.output_tokens ?? 0);
  const parts = [`${tokens.toLocaleString("en")} tokens`, usage.micro_usd > 0 ? `$${(usage.micro_usd / 1e6).toFixed(4)}` : null];
  const about = [plural(usage.calls, "call"), usage.unpriced > 0 ? `${usage.unpriced} without a price` : null]
    .filter(Boolean)
    .join(", ");
  return h("span", { class: "chip", title: about }, parts.filter(Boolean).join(" · "));
}

async function copy(id) {
  const made = await api.copyThread(id);
  say("Copied.");
  location.hash = `#/thread/${encodeURIComponent(made.thread_id)}`;
}

async function remove(id) {
  if (!(await confirmed("Delete this conversation?", "It is deleted with all its steps. This cannot be undone.", "Delete"))) return;
  await api.deleteThread(id);
  location.hash = "#/";
}
