// The trace of a thread: runs, nodes and calls as a tree with a bar for the time of each, errors first. The data is that of
// `superstep trace show --json`.

import { api } from "./api.js";
import { h } from "./dom.js";
import { plural, tree } from "./json.js";
import { ago, span } from "./time.js";

export async function trace(id) {
  const { runs } = await api.trace(id);
  if (runs.length === 0) return h("p", { class: "quiet" }, "No trace yet.");
  const failed = runs.flatMap((run) => within(run.root)).filter((branch) => branch.error && !branch.children.some((child) => child.error));
  return h(
    "div",
    { class: "trace" },
    h("p", { class: "quiet" }, [plural(runs.length, "run"), ...costs(sum(runs))].join(", ")),
    failed.length > 0 &&
      h(
        "section",
        { "aria-label": "Errors" },
        h("h2", null, plural(failed.length, "error")),
        h("ul", null, failed.map((branch) => h("li", { class: "error" }, `${branch.name}: ${branch.error.code} ${branch.error.message}`))),
      ),
    runs.map(section).reverse(),
  );
}

const within = (branch) => [branch, ...branch.children.flatMap(within)];

function sum(runs) {
  const total = {};
  for (const { root } of runs) for (const [name, value] of Object.entries(root.totals)) total[name] = (total[name] ?? 0) + value;
  return total;
}

/** Tokens and money in words; a model without a price is said, not counted as free. */
function costs({ input_tokens = 0, output_tokens = 0, cost_micro_usd = 0, unpriced = 0, errors = 0 }) {
  return [
    input_tokens + output_tokens > 0 ? `${input_tokens.toLocaleString()} tokens in, ${output_tokens.toLocaleString()} out` : null,
    cost_micro_usd > 0 ? `$${(cost_micro_usd / 1e6).toFixed(5)}` : null,
    unpriced > 0 ? `${plural(unpriced, "call")} without a price` : null,
    errors > 0 ? plural(errors, "error") : null,
  ].filter(Boolean);
}

function section(run, index) {
  const all = within(run.root);
  const start = Math.min(...all.map((branch) => branch.started_us ?? Infinity));
  const end = Math.max(...all.map((branch) => branch.ended_us ?? branch.started_us ?? 0));
  const when = Number.isFinite(start) ? ago(new Date(start / 1000).toISOString()) : "";
  return h(
    "section",
    { "aria-label": `Run ${index + 1}` },
    h("h2", null, `Run ${index + 1}: ${run.root.status} `, h("span", { class: "quiet" }, when)),
    run.beginning === "pruned" && h("p", { class: "quiet" }, "The beginning of this run was pruned."),
    h("ul", { class: "spans" }, lines(run.root, { start, whole: Math.max(1, end - start) }, 0)),
  );
}

function lines(branch, scale, depth) {
  const { started_us: started, took_us: took } = branch;
  const about = [branch.kind, ...costs(branch.totals)].join(", ");
  return [
    h(
      "li",
      null,
      h(
        "details",
        null,
        h(
          "summary",
          null,
          h("span", { class: `name depth-${Math.min(depth, 6)}` }, branch.name, branch.status !== "done" && h("span", { class: branch.error ? "error" : "quiet" }, ` ${branch.status === "cut" ? "interrupted" : branch.status}`)),
          started === undefined ? h("span") : bar(branch, scale),
          h("span", { class: "quiet took" }, took === undefined ? "" : span(took / 1000)),
          h("span", { class: "quiet about" }, about),
        ),
        branch.error && h("p", { class: "error" }, `${branch.error.code}: ${branch.error.message}`),
        part("In", branch.inputs),
        part("Out", branch.outputs),
        part("Facts", branch.facts),
      ),
    ),
    branch.children.map((child) => lines(child, scale, depth + 1)),
  ];
}

const part = (name, value) => value !== undefined && [h("h3", null, name), tree(value, 2)];

function bar(branch, { start, whole }) {
  const took = branch.took_us ?? 0;
  const words = branch.took_us === undefined ? "has no end" : `took ${span(took / 1000)}`;
  const shown = h("meter", { class: branch.error ? "bar failed" : "bar", min: 0, max: whole, value: took, "aria-label": `${branch.name} ${words}` });
  shown.style.setProperty("--from", String((branch.started_us - start) / whole));
  shown.style.setProperty("--took", String(Math.max(0.004, took / whole)));
  return shown;
}
