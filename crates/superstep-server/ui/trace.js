// The trace of a thread: runs, tasks and calls as a tree with a bar for the time of each, errors first.

import { api, ApiError } from "./api.js";
import { h } from "./dom.js";
import { tree, plural } from "./json.js";
import { ago, span } from "./time.js";

export async function trace(id) {
  let spans;
  try {
    ({ spans } = await api.trace(id));
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return h("p", { class: "quiet" }, "This server keeps no trace of this thread.");
    throw error;
  }
  if (spans.length === 0) return h("p", { class: "quiet" }, "No trace yet.");
  const children = Map.groupBy ? Map.groupBy(spans, (one) => one.parent ?? "") : group(spans);
  const roots = spans.filter((one) => !one.parent || !spans.some((other) => other.id === one.parent));
  const failed = spans.filter((one) => one.error);
  const total = (name) => spans.reduce((sum, one) => sum + (one[name] ?? 0), 0);
  const cost = spans.some((one) => one.cost !== null && one.cost !== undefined) ? `, ${total("cost").toFixed(4)} $` : "";
  return h(
    "div",
    { class: "trace" },
    h("p", { class: "quiet" }, `${plural(roots.length, "run")}, ${plural(spans.length, "span")}, ${total("input_tokens")} tokens read, ${total("output_tokens")} written${cost}`),
    failed.length > 0 && h("section", { "aria-label": "Errors" }, h("h3", null, plural(failed.length, "error")), h("ul", { class: "errors" }, failed.map((one) => h("li", { class: "error" }, `${one.name}: ${one.error}`)))),
    roots.toReversed().map((root) => {
      const start = Date.parse(root.start);
      const end = Math.max(...reach(root, children).map((one) => (one.end ? Date.parse(one.end) : Date.now())));
      return h(
        "section",
        { "aria-label": root.name },
        h("h3", null, root.name, " ", h("span", { class: "quiet" }, ago(root.start))),
        h("ul", { class: "spans" }, lines(root, children, start, Math.max(1, end - start), 0)),
      );
    }),
  );
}

function group(spans) {
  const map = new Map();
  for (const one of spans) map.set(one.parent ?? "", [...(map.get(one.parent ?? "") ?? []), one]);
  return map;
}

function reach(one, children) {
  return [one, ...(children.get(one.id) ?? []).flatMap((child) => reach(child, children))];
}

function lines(one, children, start, whole, depth) {
  const from = Date.parse(one.start) - start;
  const took = (one.end ? Date.parse(one.end) : Date.now()) - Date.parse(one.start);
  const bar = h("meter", { class: one.error ? "bar failed" : "bar", min: 0, max: whole, value: took, title: span(took), "aria-label": `${one.name} took ${span(took)}` });
  bar.style.setProperty("--from", String(from / whole));
  bar.style.setProperty("--took", String(Math.max(0.004, took / whole)));
  const about = [one.model, one.input_tokens || one.output_tokens ? `${one.input_tokens ?? 0} → ${one.output_tokens ?? 0} tokens` : null, one.cost ? `${one.cost.toFixed(4)} $` : null].filter(Boolean);
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
          h("span", { class: `name depth-${Math.min(depth, 6)}` }, one.name, one.error && h("span", { class: "error" }, " failed")),
          bar,
          h("span", { class: "quiet took" }, one.end ? span(took) : "cut"),
          h("span", { class: "quiet about" }, about.join(", ")),
        ),
        one.error && h("p", { class: "error" }, one.error),
        tree(one.attributes ?? {}, 2),
      ),
    ),
    (children.get(one.id) ?? []).map((child) => lines(child, children, start, whole, depth + 1)),
  ];
}
