// The trace of a thread: runs, nodes and calls as a tree with bars of their time. A row opens beside the tree: a call of a model
// as its messages, with tokens, price and time to the first token; everything else as data. Errors come first.

import { api } from "./api.js";
import { chip, h, show } from "./dom.js";
import { plural, tree } from "./json.js";
import { markdown } from "./markdown.js";
import { ago, span } from "./time.js";
import { textOf } from "./message.js";

const FOLDED = 2;
const LONG = 1200;

export async function trace({ panel, record }) {
  const detail = h(
    "div",
    { class: "span-detail", tabIndex: -1, "aria-live": "polite" },
    h("p", { class: "quiet" }, "Choose a row to see what went in and came out."),
  );
  const list = h("div", { class: "runs" });
  let rows = [];
  const pick = (row, branch) => {
    for (const one of rows) one.setAttribute("aria-pressed", String(one === row));
    show(detail, about(branch));
    detail.scrollTop = 0;
    if (matchMedia("(max-width: 999px)").matches) detail.scrollIntoView();
  };
  const read = async () => {
    const { runs } = await api.trace(record.thread_id);
    rows = [];
    const failed = runs
      .flatMap((run) => within(run.root))
      .filter((branch) => branch.error && !branch.children.some((child) => child.error));
    const found = (branch) => {
      const row = h(
        "button",
        { type: "button", class: "error link", onclick: () => pick(row, branch) },
        `${branch.name}: ${branch.error.code} ${branch.error.message}`,
      );
      return h("li", null, row);
    };
    show(
      list,
      runs.length === 0 && h("p", { class: "quiet" }, "No trace yet."),
      runs.length > 0 &&
        h(
          "p",
          { class: "row" },
          chip(plural(runs.length, "run")),
          costs(sum(runs)).map((text) => chip(text)),
        ),
      failed.length > 0 &&
        h("section", { "aria-label": "Errors" }, h("h2", null, plural(failed.length, "error")), h("ul", null, failed.map(found))),
      runs.map((run, index) => section(run, index, rows, pick)).reverse(),
    );
  };
  await read();
  show(panel, h("div", { class: "trace" }, list, detail));
  return { refresh: read };
}

const within = (branch) => [branch, ...branch.children.flatMap(within)];

function sum(runs) {
  const total = {};
  for (const { root } of runs)
    for (const [name, value] of Object.entries(root.totals ?? {})) total[name] = (total[name] ?? 0) + value;
  return total;
}

/** Tokens and money in words; calls without a known price are counted apart. */
function costs({ input_tokens = 0, output_tokens = 0, cost_micro_usd = 0, unpriced = 0, errors = 0 }) {
  return [
    input_tokens + output_tokens > 0 ? `${input_tokens.toLocaleString("en")} → ${output_tokens.toLocaleString("en")} tokens` : null,
    cost_micro_usd > 0 ? `$${(cost_micro_usd / 1e6).toFixed(5)}` : null,
    unpriced > 0 ? `${plural(unpriced, "call")} without a price` : null,
    errors > 0 ? plural(errors, "error") : null,
  ].filter(Boolean);
}

const KINDS = { done: "good", failed: "bad", waiting: "warn", cut: "warn", running: "busy" };

function section(run, index, rows, pick) {
  const all = within(run.root);
  const start = Math.min(...all.map((branch) => branch.started_us ?? Infinity));
  const end = Math.max(...all.map((branch) => branch.ended_us ?? branch.started_us ?? 0));
  const status = run.root.status === "cut" ? "interrupted" : run.root.status;
  return h(
    "section",
    { "aria-label": `Run ${index + 1}` },
    h(
      "h2",
      { class: "row" },
      `Run ${index + 1} `,
      chip(status, KINDS[run.root.status] ?? ""),
      h("span", { class: "quiet small" }, Number.isFinite(start) && ago(new Date(start / 1000).toISOString())),
    ),
    run.beginning === "pruned" && h("p", { class: "quiet" }, "The beginning of this run was pruned."),
    branchElement(run.root, { start, whole: Math.max(1, end - start) }, 0, rows, pick),
  );
}

/** A row and what is below it, which folds. */
function branchElement(branch, scale, depth, rows, pick) {
  const row = h(
    "button",
    { type: "button", class: `span of-${branch.kind ?? "step"}`, "aria-pressed": "false", onclick: () => pick(row, branch) },
    h(
      "span",
      { class: "name" },
      branch.name,
      branch.status !== "done" &&
        h(
          "span",
          { class: branch.error ? "error small" : "quiet small" },
          ` ${branch.status === "cut" ? "interrupted" : branch.status}`,
        ),
      branch.facts?.attempts > 1 && h("span", { class: "quiet small" }, ` ${branch.facts.attempts} attempts`),
    ),
    branch.started_us === undefined ? h("span") : bar(branch, scale),
    h("span", { class: "quiet small number" }, branch.took_us === undefined ? "" : span(branch.took_us / 1000)),
    h("span", { class: "quiet small about" }, costs(branch.totals ?? {})[0] ?? ""),
  );
  row.style.setProperty("--depth", String(Math.min(depth, 6)));
  rows.push(row);
  if (branch.children.length === 0) return h("div", { class: "leaf" }, row);
  const body = branch.children.map((child) => branchElement(child, scale, depth + 1, rows, pick));
  const fold = h(
    "details",
    { open: depth < FOLDED || branch.children.length < 12 },
    h("summary", { "aria-label": `Parts of ${branch.name}` }),
    body,
  );
  return h("div", { class: "branch" }, row, fold);
}

function bar(branch, { start, whole }) {
  const took = branch.took_us ?? 0;
  const shown = h("span", { class: branch.error ? "bar-time failed" : "bar-time" }, h("span"));
  shown.firstChild.style.marginLeft = `${((branch.started_us - start) / whole) * 100}%`;
  shown.firstChild.style.width = `${Math.max(1, (took / whole) * 100)}%`;
  return shown;
}

/** A row in full. */
function about(branch) {
  const facts = branch.facts ?? {};
  const times = [
    branch.took_us !== undefined && `took ${span(branch.took_us / 1000)}`,
    facts.first_token !== undefined && `first token after ${span(facts.first_token / 1000)}`,
    facts.attempts > 1 && plural(facts.attempts, "attempt"),
    ...costs(branch.totals ?? {}),
    cached(branch.totals ?? {}),
    facts.finish,
  ];
  return [
    h("h2", { class: "label" }, branch.kind ?? "step"),
    h("h3", null, branch.name, branch.attempt > 1 && ` (attempt ${branch.attempt})`),
    h("p", { class: "quiet small" }, times.filter((one) => typeof one === "string" && one !== "").join(" · ")),
    branch.error && h("p", { class: "error" }, `${branch.error.code}: ${branch.error.message}`),
    conversationOf(branch.inputs) ?? part("In", branch.inputs),
    conversationOf(branch.outputs) ?? part("Out", branch.outputs),
    Object.keys(facts).length > 0 && part("Facts", facts),
  ];
}

const cached = ({ cached_tokens: count = 0 }) => (count > 0 ? `${count.toLocaleString("en")} cached` : "");

const part = (name, value) => value !== undefined && value !== null && [h("h4", null, name), tree(value, 2)];

const ROLES = { human: "Person", user: "Person", ai: "Model", assistant: "Model", system: "Instructions", tool: "Tool" };

/** Prompts and replies as messages, or null if the value is none. */
function conversationOf(value) {
  const list = Array.isArray(value) ? value : (value?.messages ?? (roleOf(value) !== undefined ? [value] : null));
  if (!Array.isArray(list) || list.length === 0 || !list.every((one) => roleOf(one) !== undefined)) return null;
  return list.map((message) => {
    const text = textOf(message);
    const calls = message.tool_calls ?? [];
    const role = roleOf(message);
    const body =
      text.length > LONG && role !== "ai" && role !== "assistant"
        ? h("details", null, h("summary", null, `${text.slice(0, 160).replace(/\s+/g, " ")}…`), h("div", { class: "plain" }, text))
        : markdown(text);
    return h(
      "section",
      { class: `prompt ${role}` },
      h("h4", { class: "label" }, ROLES[role] ?? role, message.name ? ` · ${message.name}` : ""),
      text !== "" && body,
      calls.map((call) => h("div", null, h("code", null, call.name ?? "tool"), tree(call.args ?? call.arguments ?? {}, 2))),
    );
  });
}

const roleOf = (message) => {
  const role = message?.type ?? message?.role;
  return typeof role === "string" && ROLES[role] !== undefined ? role : undefined;
};
