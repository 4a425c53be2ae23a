// The list of threads: filters in the address, so that a filtered list can be kept as a bookmark, and the status as it changes.

import { api } from "./api.js";
import { row } from "./agents.js";
import { h, say, show, dialog } from "./dom.js";
import { plural } from "./json.js";
import { STATUSES, word } from "./record.js";

const PAGE = 30;
const EVERY = 2000;

export async function threads(main, _parts, query) {
  const assistants = await api.assistants();
  const page = Math.max(0, Number.parseInt(query.get("page") ?? "0", 10) || 0);
  const filter = { metadata: {} };
  if (query.get("graph")) filter.metadata.graph_id = query.get("graph");
  if (STATUSES.includes(query.get("status"))) filter.status = query.get("status");
  if (query.get("id")) filter.ids = [query.get("id")];

  const go = (name, value) => {
    const next = new URLSearchParams(query);
    if (value === "") next.delete(name);
    else next.set(name, value);
    if (name !== "page") next.delete("page");
    location.hash = `#/threads?${next}`;
  };
  const select = (name, label, options) =>
    h(
      "label",
      null,
      label,
      h(
        "select",
        { onchange: (event) => go(name, event.target.value) },
        [["", "all"], ...options].map(([value, text]) => h("option", { value, selected: (query.get(name) ?? "") === value }, text)),
      ),
    );
  const search = h("input", { type: "search", placeholder: "id of a thread", value: query.get("id") ?? "", "aria-label": "Id of a thread", onchange: (event) => go("id", event.target.value.trim()) });
  const list = h("ul", { class: "rows" });
  const foot = h("p", { class: "row" });
  const graphs = [...new Set(assistants.map((assistant) => assistant.graph_id))].map((graph) => [graph, graph]);
  show(
    main,
    h("h1", null, "Threads"),
    h("div", { class: "filters" }, select("status", "Status", STATUSES.map((status) => [status, word(status)])), select("graph", "Graph", graphs), search),
    list,
    foot,
  );

  let last = "";
  const refresh = async () => {
    // To count those with a status, the server would look at each; whether there are more a longer page tells.
    const [rows, total] = await Promise.all([
      api.threads({ ...filter, limit: PAGE + 1, offset: page * PAGE, sort_by: "updated_at", sort_order: "desc" }),
      filter.status === undefined ? api.countThreads(filter) : null,
    ]);
    const found = rows.slice(0, PAGE);
    const now = JSON.stringify(found.map((thread) => [thread.thread_id, thread.status, thread.updated_at]));
    if (now === last) return;
    last = now;
    const focused = document.activeElement?.getAttribute?.("href");
    show(list, found.map((thread) => withDelete(row(thread), thread)));
    if (found.length === 0) show(list, h("li", { class: "quiet" }, "No thread fits."));
    if (focused) list.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
    const about = total === null ? `page ${page + 1}` : `${plural(total, "thread")}, page ${page + 1} of ${Math.max(1, Math.ceil(total / PAGE))}`;
    show(
      foot,
      h("span", { class: "quiet" }, about),
      page > 0 && h("button", { type: "button", onclick: () => go("page", String(page - 1)) }, "Newer"),
      rows.length > PAGE && h("button", { type: "button", onclick: () => go("page", String(page + 1)) }, "Older"),
    );
  };
  const withDelete = (item, thread) => {
    item.append(
      h(
        "button",
        {
          type: "button",
          class: "link",
          "aria-label": `Delete thread ${thread.thread_id}`,
          onclick: async () => {
            const sure = await dialog("Delete this thread?", h("p", null, `Thread ${thread.thread_id} goes with all its steps. This cannot be undone.`), [
              { label: "Keep it", value: "" },
              { label: "Delete", value: "yes", kind: "danger" },
            ]);
            if (sure !== "yes") return;
            await api.deleteThread(thread.thread_id);
            say("Deleted.");
            last = "";
            await refresh();
          },
        },
        "Delete",
      ),
    );
    return item;
  };
  await refresh();
  const timer = setInterval(() => {
    if (!document.hidden) refresh().catch((error) => show(foot, h("span", { class: "error" }, error.message)));
  }, EVERY);
  return () => clearInterval(timer);
}
