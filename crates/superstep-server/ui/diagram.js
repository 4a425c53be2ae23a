// Flowcharts in the notation of Mermaid, drawn like graphs of agents. What is beyond nodes and edges stays text.

import { h, show } from "./dom.js";
import { picture } from "./graph.js";

const HEAD = /^(?:flowchart|graph)\s+(?:TD|TB|BT|LR|RL)\s*;?$/;
const NODE = /^([\w.-]+)(?:\["?([^"\]]*)"?\]|\("?([^")]*)"?\)|\{"?([^"}]*)"?\})?/;
const EDGE = /^\s*(?:(-->|---|==>)|(-\.->))(?:\|[^|]*\|)?\s*/;

/** The nodes, edges and names of a flowchart, or null if it has anything else. */
export function flowchart(text) {
  const [head, ...lines] = text.split("\n").map((line) => line.trim().replace(/;$/, "")).filter((line) => line !== "");
  if (head === undefined || !HEAD.test(head)) return null;
  const names = new Map();
  const edges = [];
  for (const line of lines) {
    if (line.startsWith("%%")) continue;
    let rest = line;
    let before = null;
    for (;;) {
      const found = NODE.exec(rest);
      if (found === null) return null;
      const [whole, id] = found;
      const name = found[2] ?? found[3] ?? found[4];
      if (name !== undefined || !names.has(id)) names.set(id, name ?? id);
      if (before !== null) edges.push({ source: before.id, target: id, conditional: before.isDotted });
      rest = rest.slice(whole.length);
      if (rest.trim() === "") break;
      const edge = EDGE.exec(rest);
      if (edge === null) return null;
      before = { id, isDotted: edge[2] !== undefined };
      rest = rest.slice(edge[0].length);
    }
  }
  const nodes = [...names.keys()].map((id) => ({ id, label: names.get(id) }));
  return { nodes, edges, names: Object.fromEntries(names) };
}

function place(block) {
  const element = h("div");
  block.replaceWith(element);
  return element;
}

/** Draws the flowcharts of a text in the place of their notation. */
export function drawDiagrams(element) {
  for (const block of element.querySelectorAll(".code-block")) {
    if (block.querySelector(".code-head span")?.textContent !== "mermaid") continue;
    const chart = flowchart(block.querySelector("code").textContent);
    if (chart !== null) show(place(block), picture(chart, { named: (id) => chart.names[id] }));
  }
  return element;
}
