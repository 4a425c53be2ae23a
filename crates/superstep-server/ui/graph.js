// The picture of a graph: nodes in layers by their distance from the start, with the state of each node while a run goes on.

import { h, svg } from "./dom.js";

const NARROWEST = 150;
const WIDEST = 230;
const SIGN = 7.5;
const HEIGHT = 40;
const GAP_X = 34;
const GAP_Y = 54;

/** The layer of each node: longest way from the start over edges that lead forward. */
function layers(nodes, edges) {
  const out = new Map(nodes.map((node) => [node.id, []]));
  for (const edge of edges) out.get(edge.source)?.push(edge.target);
  const forward = new Map(nodes.map((node) => [node.id, []]));
  const state = new Map();
  // Edges back to a node on the current way are loops; they do not push a node further down.
  const walk = (start) => {
    const stack = [[start, 0]];
    state.set(start, "open");
    while (stack.length > 0) {
      const top = stack[stack.length - 1];
      const targets = out.get(top[0]) ?? [];
      if (top[1] >= targets.length) {
        state.set(top[0], "done");
        stack.pop();
        continue;
      }
      const target = targets[top[1]++];
      if (state.get(target) === "open") continue;
      forward.get(top[0]).push(target);
      if (!state.has(target)) {
        state.set(target, "open");
        stack.push([target, 0]);
      }
    }
  };
  const roots = nodes.filter((node) => !edges.some((edge) => edge.target === node.id && edge.source !== node.id));
  for (const node of [...roots, ...nodes]) if (!state.has(node.id)) walk(node.id);
  const layer = new Map(nodes.map((node) => [node.id, 0]));
  for (let turn = 0, moved = true; moved && turn <= nodes.length; turn++) {
    moved = false;
    for (const [source, targets] of forward)
      for (const target of targets)
        if (layer.get(target) < layer.get(source) + 1) {
          layer.set(target, layer.get(source) + 1);
          moved = true;
        }
  }
  return layer;
}

/** The nodes with the middle of each as `x` and `y`, ordered in a layer by where their sources are. */
function place(nodes, edges) {
  const layer = layers(nodes, edges);
  const rows = [];
  for (const node of nodes) (rows[layer.get(node.id)] ??= []).push(node);
  const rowsFilled = rows.filter(Boolean);
  const index = new Map();
  for (const row of rowsFilled) {
    const weight = (node) => {
      const from = edges.filter((edge) => edge.target === node.id && index.has(edge.source)).map((edge) => index.get(edge.source));
      return from.length === 0 ? 0 : from.reduce((sum, x) => sum + x, 0) / from.length;
    };
    row.sort((a, b) => weight(a) - weight(b));
    row.forEach((node, at) => index.set(node.id, at - (row.length - 1) / 2));
  }
  const widest = Math.max(1, ...rowsFilled.map((row) => row.length));
  const wide = Math.min(WIDEST, Math.max(NARROWEST, ...nodes.map((node) => 30 + SIGN * named(node.id).length)));
  const width = widest * (wide + GAP_X) + 60;
  const placed = new Map();
  rowsFilled.forEach((row, depth) =>
    row.forEach((node) => placed.set(node.id, { node, depth, x: width / 2 + index.get(node.id) * (wide + GAP_X), y: 30 + depth * (HEIGHT + GAP_Y) })),
  );
  return { placed, wide, width, height: rowsFilled.length * (HEIGHT + GAP_Y) + 10 };
}

function path(from, to, wide) {
  if (to.depth > from.depth) {
    const middle = (from.y + to.y) / 2;
    return `M${from.x} ${from.y + HEIGHT / 2} C${from.x} ${middle} ${to.x} ${middle} ${to.x} ${to.y - HEIGHT / 2}`;
  }
  const side = Math.max(from.x, to.x) + wide / 2 + 34;
  return `M${from.x + wide / 2} ${from.y} C${side} ${from.y} ${side} ${to.y} ${to.x + wide / 2} ${to.y}`;
}

const short = (name) => (name.length > 26 ? `${name.slice(0, 25)}…` : name);
const named = (id) => (id === "__start__" ? "start" : id === "__end__" ? "end" : id.split(":").pop());

/**
 * The picture. `states` says of nodes by name whether they are `running`, `done`, `waiting` or `failed`; `onpick(name)` is called
 * when one is chosen.
 */
export function draw(graph, states = {}, onpick = null) {
  const nodes = graph.nodes ?? [];
  if (nodes.length === 0) return h("p", { class: "quiet" }, "This graph has no picture.");
  const edges = (graph.edges ?? []).filter((edge) => edge.source !== edge.target);
  const loops = new Set((graph.edges ?? []).filter((edge) => edge.source === edge.target).map((edge) => edge.source));
  const { placed, wide, width, height } = place(nodes, edges);
  const picture = svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, width, height, class: "graph", role: "img", "aria-label": words(nodes, edges) },
    svg("defs", null, svg("marker", { id: "tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto" }, svg("path", { d: "M0 0L8 4L0 8z", class: "tip" }))),
    edges
      .filter((edge) => placed.has(edge.source) && placed.has(edge.target))
      .map((edge) => svg("path", { d: path(placed.get(edge.source), placed.get(edge.target), wide), class: edge.conditional ? "edge maybe" : "edge", "marker-end": "url(#tip)" })),
    [...placed.values()].map(({ node, x, y }) => {
      const name = named(node.id);
      const state = states[node.id] ?? states[name];
      const end = node.id === "__start__" || node.id === "__end__";
      return svg(
        "g",
        { class: `node ${end ? "end" : ""} ${state ?? ""}`, transform: `translate(${x} ${y})`, onclick: onpick && !end ? () => onpick(name) : null },
        svg("title", null, `${node.id}${state ? `: ${state}` : ""}`),
        svg("rect", { x: -wide / 2, y: -HEIGHT / 2, width: wide, height: HEIGHT, rx: end ? HEIGHT / 2 : 8 }),
        svg("text", { "text-anchor": "middle", dy: "0.35em" }, short(name), loops.has(node.id) ? " ↻" : ""),
      );
    }),
  );
  return h("div", { class: "scroll", tabIndex: 0, role: "group", "aria-label": "Graph" }, picture);
}

/** The graph in words, for those who do not see the picture. */
function words(nodes, edges) {
  const to = nodes.map((node) => {
    const targets = edges.filter((edge) => edge.source === node.id).map((edge) => named(edge.target));
    return targets.length === 0 ? null : `${named(node.id)} leads to ${targets.join(", ")}`;
  });
  return `Graph: ${to.filter(Boolean).join("; ")}`;
}
