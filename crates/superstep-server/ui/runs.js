// Runs of the last days with what they took, and their totals per agent and day. The filters are in the address.

import { agents } from "./adapter.js";
import { api } from "./api.js";
import { button, chip, h, show } from "./dom.js";
import { plural } from "./json.js";
import { table } from "./table.js";
import { ago, span } from "./time.js";
import { onchange } from "./watch.js";

const PAGE = 50;
const STATUSES = { success: "done", error: "failed", interrupted: "stopped", running: "working", pending: "queued" };
const SIGNS = { success: "good", error: "bad", interrupted: "warn", running: "busy" };
const DAYS = { 1: "Today", 7: "7 days", 30: "30 days", 90: "90 days" };

const money = (micros) => (micros > 0 ? `$${(micros / 1e6).toFixed(4)}` : "");
const count = (number) => number.toLocaleString("en");

export async function runs(main, _parts, query) {
  const titles = new Map((await agents()).map((agent) => [agent.graph, agent.title]));
  const page = Math.max(0, Number.parseInt(query.get("page") ?? "0", 10) || 0);
  const days = DAYS[query.get("days")] === undefined ? 7 : Number(query.get("days"));
  const go = (name, value) => {
    const next = new URLSearchParams(query);
    if (value === "") next.delete(name);
    else next.set(name, value);
    if (name !== "page") next.delete("page");
    location.hash = `#/runs?${next}`;
  };
  const select = (name, label, chosen, options) =>
    h(
      "label",
      null,
      label,
      " ",
      h(
        "select",
        { onchange: (event) => go(name, event.target.value) },
        options.map(([value, text]) => h("option", { value, selected: chosen === value }, text)),
      ),
    );
  const any = (name, label, options) => select(name, label, query.get(name) ?? "", [["", "all"], ...options]);
  const search = h("input", {
    type: "search",
    placeholder: "Search titles and errors",
    value: query.get("q") ?? "",
    "aria-label": "Search runs",
    onchange: (event) => go("q", event.target.value.trim()),
  });
  const totals = h("section", { class: "card list", "aria-label": "Totals" });
  const list = h("ul", { class: "rows" });
  const foot = h("p", { class: "row" });
  show(
    main,
    h("header", { class: "bar" }, h("h1", { tabIndex: -1 }, "Runs")),
    h(
      "div",
      { class: "page" },
      h(
        "div",
        { class: "filters" },
        search,
        select("days", "Since", String(days), Object.entries(DAYS)),
        any("status", "Status", Object.entries(STATUSES)),
        any("graph", "Agent", [...titles]),
      ),
      totals,
      list,
      foot,
    ),
  );
  const line = (run) => {
    const took = [
      run.took_ms !== null && span(run.took_ms),
      run.calls > 0 && `${count(run.input_tokens + run.output_tokens)} tokens`,
      money(run.micro_usd),
      run.attempt > 1 && plural(run.attempt, "attempt"),
    ];
    return h(
      "li",
      null,
      h(
        "a",
        { class: "line", href: `#/thread/${encodeURIComponent(run.thread_id)}/trace` },
        chip(STATUSES[run.status] ?? run.status, SIGNS[run.status] ?? ""),
        h("span", { class: "title" }, run.title || "Untitled"),
        run.error !== null && h("span", { class: "error small title" }, run.error),
      ),
      h("span", { class: "quiet small" }, titles.get(run.graph_id) ?? run.graph_id),
      h("span", { class: "quiet small" }, took.filter(Boolean).join(" · ")),
      h("span", { class: "quiet when" }, ago(run.created_at)),
    );
  };
  let last = "";
  const refresh = async () => {
    const found = await api.findRuns({
      days,
      ...(query.get("q") ? { query: query.get("q") } : {}),
      ...(STATUSES[query.get("status")] ? { status: query.get("status") } : {}),
      ...(query.get("graph") ? { graph_id: query.get("graph") } : {}),
      limit: PAGE,
      offset: page * PAGE,
    });
    const now = JSON.stringify(found);
    if (now === last) return;
    last = now;
    const focused = document.activeElement?.getAttribute?.("href");
    totals.hidden = found.totals.length === 0;
    show(totals, h("h2", null, "Per agent and day"), totalsTable(found.totals, titles));
    show(list, found.runs.map(line), found.runs.length === 0 && h("li", { class: "quiet" }, "No run matches."));
    if (focused) list.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
    show(
      foot,
      h("span", { class: "quiet" }, plural(found.total, "run"), found.is_cut && " of the conversations that were used last"),
      page > 0 && button("Newer", () => go("page", String(page - 1))),
      found.total > (page + 1) * PAGE && button("Older", () => go("page", String(page + 1))),
    );
  };
  await refresh();
  return { stop: onchange(() => refresh()) };
}

/** Rows of totals, and their sum where there are several. */
function totalsTable(totals, titles) {
  const cells = (day, agent, one) => [
    day,
    agent,
    count(one.runs),
    count(one.failed),
    count(one.calls),
    count(one.input_tokens),
    count(one.output_tokens),
    one.micro_usd > 0 ? money(one.micro_usd) : one.unpriced > 0 ? "no price" : "",
  ];
  const rows = totals.map((one) => cells(one.day, titles.get(one.graph_id) ?? one.graph_id, one));
  const columns = ["Day", "Agent", "Runs", "Failed", "Calls", "Tokens in", "Tokens out", "Price"];
  const sum = {};
  for (const one of totals)
    for (const [name, value] of Object.entries(one)) if (typeof value === "number") sum[name] = (sum[name] ?? 0) + value;
  const words = [
    plural(sum.runs, "run"),
    sum.failed > 0 && `${count(sum.failed)} failed`,
    sum.calls > 0 && `${count(sum.input_tokens + sum.output_tokens)} tokens`,
    money(sum.micro_usd),
  ];
  const foot = totals.length > 1 && h("span", { class: "quiet" }, "In all: ", words.filter(Boolean).join(", "));
  return table(columns, rows, { sorts: true, foot });
}
