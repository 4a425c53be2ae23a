// The graph of an agent, with the state of each node while a run goes on and after it.

import { api } from "./api.js";
import { h, show, svg } from "./dom.js";
import { layout } from "./layout.js";

const NARROWEST = 120;
const WIDEST = 220;
const SIGN = 7.4;

const nameOf = (id) => (id === "__start__" ? "start" : id === "__end__" ? "end" : id.split(":").pop());
const short = (name) => (name.length > 27 ? `${name.slice(0, 26)}…` : name);

/** The view of a conversation: its graph now, live while a run goes on. */
export async function graphTab({ panel, record, agent, nodes }) {
  const assistant = record.metadata?.assistant_id ?? record.metadata?.graph_id;
  if (!assistant || agent === null) {
    show(panel, h("p", { class: "quiet" }, "The graph of this conversation is not hosted here."));
    return null;
  }
  const graph = await api.graph(assistant);
  const standing = async () => ({ ...(await pathOf(record.thread_id)), ...nodes });
  const legend = h(
    "p",
    { class: "row small quiet" },
    ["running", "done", "waiting", "failed"].map((state) => h("span", { class: `legend ${state}` }, state)),
  );
  const place = h("div");
  show(panel, legend, place);
  const draw = (states) => {
    if ((graph.nodes ?? []).length === 0) show(place, h("p", { class: "quiet" }, "This graph has no picture."));
    else show(place, picture(graph, { states, labels: agent.nodes }));
  };
  draw(await standing());
  return { live: draw, refresh: async () => draw(await pathOf(record.thread_id)) };
}

/** Nodes that ran, wait or failed, by what the thread went through last. */
async function pathOf(id) {
  const [{ tasks }, history] = await Promise.all([api.state(id), api.history(id, 60)]);
  const states = {};
  for (const state of history) {
    for (const task of state.tasks ?? []) states[task.name] ??= "done";
    if (state.metadata?.source === "input") break;
  }
  const waits = (all) => {
    for (const task of all ?? []) {
      const inner = task.state?.tasks;
      const state = task.error ? "failed" : (task.interrupts ?? []).length > 0 ? "waiting" : null;
      if (state !== null) states[task.name] = state;
      else delete states[task.name];
      if (inner !== undefined) waits(inner);
    }
  };
  waits(tasks);
  return states;
}

/**
 * Nodes and edges as a picture, with a list of the states that nodes have.
 * @param {{nodes: any[], edges?: any[]}} graph
 * @param {{states?: Record<string, string>, labels?: Record<string, string>, named?: (id: string) => string}} options
 */
export function picture({ nodes, edges = [] }, { states = {}, labels = {}, named = nameOf } = {}) {
  const loops = new Set(edges.filter((edge) => edge.source === edge.target).map((edge) => edge.source));
  const wide = Math.min(WIDEST, Math.max(NARROWEST, ...nodes.map((node) => 30 + SIGN * short(named(node.id)).length)));
  const plan = layout(nodes, edges, wide);
  const drawn = svg(
    "svg",
    {
      viewBox: `0 0 ${plan.width} ${plan.height}`,
      width: plan.width,
      height: plan.height,
      class: "graph",
      role: "img",
      "aria-label": words(nodes, edges, named),
    },
    svg(
      "defs",
      null,
      svg(
        "marker",
        { id: "tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto" },
        svg("path", { d: "M0 0L8 4L0 8z", class: "tip" }),
      ),
    ),
    plan.edges.map((edge) =>
      svg("path", { d: edge.path, class: edge.conditional ? "edge maybe" : "edge", "marker-end": "url(#tip)" }),
    ),
    plan.nodes.map((node) => nodeElement(node, { wide, tall: plan.tall, states, labels, named, isLoop: loops.has(node.id) })),
  );
  const list = Object.entries(states).map(([name, state]) => h("li", null, `${labels[name] ?? name}: ${state}`));
  return [
    h("div", { class: "scroll", tabIndex: 0, role: "group", "aria-label": "Graph" }, drawn),
    list.length > 0 && h("details", null, h("summary", { class: "small" }, "As a list"), h("ul", { class: "small" }, list)),
  ];
}

function nodeElement(node, { wide, tall, states, labels, named, isLoop }) {
  const name = named(node.id);
  const state = states[node.id] ?? states[name];
  const isEnd = node.id === "__start__" || node.id === "__end__";
  return svg(
    "g",
    { class: `node ${isEnd ? "end" : ""} ${state ?? ""}`, transform: `translate(${node.x} ${node.y})` },
    svg("title", null, [labels[name], name, state].filter(Boolean).join(" · ")),
    svg("rect", { x: -wide / 2, y: -tall / 2, width: wide, height: tall, rx: isEnd ? tall / 2 : 9 }),
    svg("text", { "text-anchor": "middle", dy: "0.35em" }, short(name), isLoop ? " ↻" : ""),
  );
}

/** The graph in words, for people who do not see the picture. */
function words(nodes, edges, named) {
  const to = nodes.map((node) => {
    const targets = edges.filter((edge) => edge.source === node.id).map((edge) => named(edge.target));
    return targets.length === 0 ? null : `${named(node.id)} leads to ${targets.join(", ")}`;
  });
  return `Graph: ${to.filter(Boolean).join("; ")}`;
}
