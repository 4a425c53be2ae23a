// All conversations, a page at a time. The filters are in the address, so that a filtered list can be kept as a bookmark.

import { agents, rows } from "./adapter.js";
import { api } from "./api.js";
import { button, confirmed, h, say, show } from "./dom.js";
import { plural } from "./json.js";
import { statusChip } from "./status.js";
import { ago } from "./time.js";
import { onchange } from "./watch.js";

const PAGE = 50;
const STATUSES = { interrupted: "waiting", busy: "working", error: "failed", idle: "done" };

export async function threads(main, _parts, query) {
  const all = await agents();
  const titles = new Map(all.map((agent) => [agent.graph, agent.title]));
  const page = Math.max(0, Number.parseInt(query.get("page") ?? "0", 10) || 0);
  const filter = { metadata: {} };
  if (query.get("graph")) filter.metadata.graph_id = query.get("graph");
  if (STATUSES[query.get("status")]) filter.status = query.get("status");
  const words = (query.get("q") ?? "").trim();

  const go = (name, value) => {
    const next = new URLSearchParams(query);
    if (value === "") next.delete(name);
    else next.set(name, value);
    if (name !== "page") next.delete("page");
    location.hash = `#/threads?${next}`;
  };
  const select = (name, label, options) => {
    const option = ([value, text]) => h("option", { value, selected: (query.get(name) ?? "") === value }, text);
    return h(
      "label",
      null,
      label,
      " ",
      h("select", { onchange: (event) => go(name, event.target.value) }, [["", "all"], ...options].map(option)),
    );
  };
  const search = h("input", {
    type: "search",
    placeholder: "Search",
    value: words,
    "aria-label": "Search conversations",
    onchange: (event) => go("q", event.target.value.trim()),
  });
  const list = h("ul", { class: "rows" });
  const foot = h("p", { class: "row" });
  const graphs = [...titles];
  show(
    main,
    h("header", { class: "bar" }, h("h1", { tabIndex: -1 }, "All conversations")),
    h(
      "div",
      { class: "page" },
      h(
        "div",
        { class: "filters" },
        search,
        select("status", "Status", Object.entries(STATUSES)),
        select("graph", "Agent", graphs),
      ),
      list,
      foot,
    ),
  );
  let last = "";
  const refresh = async () => {
    const found = await rows({
      ...filter,
      ...(words === "" ? {} : { query: words }),
      limit: PAGE + 1,
      offset: page * PAGE,
      sort_by: "updated_at",
      sort_order: "desc",
    });
    const total = filter.status === undefined && words === "" ? await api.countThreads(filter) : null;
    const shown = found.slice(0, PAGE);
    const now = JSON.stringify([total, shown.map((row) => [row.id, row.status, row.updated])]);
    if (now === last) return;
    last = now;
    const focused = document.activeElement?.getAttribute?.("href");
    show(list, shown.map(line), shown.length === 0 && h("li", { class: "quiet" }, "No conversation matches."));
    if (focused) list.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
    const about =
      total === null
        ? `page ${page + 1}`
        : `${plural(total, "conversation")}, page ${page + 1} of ${Math.max(1, Math.ceil(total / PAGE))}`;
    show(
      foot,
      h("span", { class: "quiet" }, about),
      page > 0 && button("Newer", () => go("page", String(page - 1))),
      found.length > PAGE && button("Older", () => go("page", String(page + 1))),
    );
  };
  const remove = async (row) => {
    if (
      !(await confirmed(
        "Delete this conversation?",
        `“${row.title}” is deleted with all its steps. This cannot be undone.`,
        "Delete",
      ))
    )
      return;
    await api.deleteThread(row.id);
    say("Deleted.");
    last = "";
    await refresh();
  };
  const line = (row) =>
    h(
      "li",
      null,
      h(
        "a",
        { class: "line", href: `#/thread/${encodeURIComponent(row.id)}` },
        statusChip(row.status),
        h("span", { class: "title" }, row.title),
      ),
      h("span", { class: "quiet small" }, titles.get(row.graph) ?? row.graph),
      h("span", { class: "quiet when" }, ago(row.updated)),
      button("Delete", () => remove(row), "link", { "aria-label": `Delete ${row.title}` }),
    );
  await refresh();
  return { stop: onchange(() => refresh()) };
}
