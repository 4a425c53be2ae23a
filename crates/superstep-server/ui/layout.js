// Places for the nodes and edges of a graph: layers from the start down. An edge over several layers gets places of its own in
// between, so that it runs beside the nodes and not across them.

const HEIGHT = 38;
const GAP_X = 28;
const GAP_Y = 46;
const THIN = 20;
const ROUNDS = 8;

/**
 * @param {{id: string, label: string}[]} nodes
 * @param {{source: string, target: string, conditional?: boolean}[]} edges
 * @param {number} width of a node
 */
export function layout(nodes, edges, width) {
  const known = new Set(nodes.map((node) => node.id));
  const valid = edges.filter(({ source, target }) => source !== target && known.has(source) && known.has(target));
  const forward = acyclic(nodes, valid);
  const layer = layered(nodes, forward);
  const rows = [];
  for (const node of nodes) (rows[layer.get(node.id)] ??= []).push({ id: node.id, width, node });
  const links = [];
  for (const edge of forward) {
    let above = edge.source;
    for (let at = layer.get(edge.source) + 1; at < layer.get(edge.target); at++) {
      const id = `${edge.source}\u0000${edge.target}\u0000${at}`;
      (rows[at] ??= []).push({ id, width: THIN, node: null });
      links.push([above, id]);
      above = id;
    }
    links.push([above, edge.target]);
  }
  order(rows, links);
  const { places, wide } = placed(rows, links);
  const points = (edge) => {
    const chain = [places.get(edge.source)];
    for (let at = layer.get(edge.source) + 1; at < layer.get(edge.target); at++)
      chain.push(places.get(`${edge.source}\u0000${edge.target}\u0000${at}`));
    return [...chain, places.get(edge.target)];
  };
  const back = valid.filter((edge) => !forward.includes(edge));
  const isLeft = (edge) => places.get(edge.source).x + places.get(edge.target).x < wide;
  const left = back.filter(isLeft);
  const right = back.filter((edge) => !isLeft(edge));
  // Edges that lead back run up at the side that is nearer.
  const shift = left.length === 0 ? 0 : 24 + left.length * 12;
  for (const one of places.values()) one.x += shift;
  const lane = wide + shift + 18;
  return {
    nodes: nodes.map((node) => ({ ...node, ...places.get(node.id) })),
    edges: [
      ...forward.map((edge) => ({ ...edge, path: down(points(edge)) })),
      ...right.map((edge, at) => ({
        ...edge,
        path: up(places.get(edge.source), places.get(edge.target), lane + at * 12, width / 2),
      })),
      ...left.map((edge, at) => ({
        ...edge,
        path: up(places.get(edge.source), places.get(edge.target), shift - 14 - at * 12, -width / 2),
      })),
    ],
    width: lane + right.length * 12 + 8,
    height: rows.length * (HEIGHT + GAP_Y) - GAP_Y + 24,
    tall: HEIGHT,
  };
}

/** The edges without those that lead back to a node on the way to their source. */
function acyclic(nodes, edges) {
  const out = new Map(nodes.map((node) => [node.id, edges.filter((edge) => edge.source === node.id)]));
  const state = new Map();
  const kept = [];
  const walk = (start) => {
    const stack = [[start, 0]];
    state.set(start, "open");
    while (stack.length > 0) {
      const top = stack[stack.length - 1];
      const edge = out.get(top[0])[top[1]++];
      if (edge === undefined) {
        state.set(top[0], "done");
        stack.pop();
        continue;
      }
      if (state.get(edge.target) === "open") continue;
      kept.push(edge);
      if (state.has(edge.target)) continue;
      state.set(edge.target, "open");
      stack.push([edge.target, 0]);
    }
  };
  const roots = nodes.filter((node) => !edges.some((edge) => edge.target === node.id));
  for (const node of [...roots, ...nodes]) if (!state.has(node.id)) walk(node.id);
  return kept;
}

/** The layer of each node: the longest way from a start. */
function layered(nodes, edges) {
  const layer = new Map(nodes.map((node) => [node.id, 0]));
  for (let turn = 0, moved = true; moved && turn <= nodes.length; turn++) {
    moved = false;
    for (const { source, target } of edges)
      if (layer.get(target) <= layer.get(source)) {
        layer.set(target, layer.get(source) + 1);
        moved = true;
      }
  }
  return layer;
}

/** Orders each row by the middle of its neighbors, down and up by turns, so that few edges cross. */
function order(rows, links) {
  const above = new Map();
  const below = new Map();
  for (const [from, to] of links) {
    above.set(to, [...(above.get(to) ?? []), from]);
    below.set(from, [...(below.get(from) ?? []), to]);
  }
  for (let round = 0; round < ROUNDS; round++) {
    const near = round % 2 === 0 ? above : below;
    const sequence = round % 2 === 0 ? rows : [...rows].reverse();
    const index = new Map(rows.flatMap((row) => row.map((one, at) => [one.id, at - (row.length - 1) / 2])));
    for (const row of sequence) {
      const weight = new Map(
        row.map((one) => [one.id, mean((near.get(one.id) ?? []).map((id) => index.get(id))) ?? index.get(one.id)]),
      );
      row.sort((a, b) => weight.get(a.id) - weight.get(b.id));
      row.forEach((one, at) => index.set(one.id, at - (row.length - 1) / 2));
    }
  }
}

const mean = (all) => (all.length === 0 ? null : all.reduce((sum, one) => sum + one, 0) / all.length);

/** The middle of each place. Rows keep their order; each place moves to the middle of its neighbors as far as there is room. */
function placed(rows, links) {
  const x = new Map();
  for (const row of rows) {
    const total = row.reduce((sum, one) => sum + one.width + GAP_X, -GAP_X);
    let at = -total / 2;
    for (const one of row) {
      x.set(one.id, at + one.width / 2);
      at += one.width + GAP_X;
    }
  }
  for (let round = 0; round < ROUNDS; round++)
    for (const row of round % 2 === 0 ? rows : [...rows].reverse()) {
      const wanted = row.map(
        (one) =>
          mean(links.filter((link) => link.includes(one.id)).map(([from, to]) => x.get(from === one.id ? to : from))) ??
          x.get(one.id),
      );
      spread(row, wanted).forEach((value, at) => x.set(row[at].id, value));
    }
  const left = Math.min(...rows.flat().map((one) => x.get(one.id) - one.width / 2));
  const right = Math.max(...rows.flat().map((one) => x.get(one.id) + one.width / 2));
  const places = new Map();
  rows.forEach((row, depth) =>
    row.forEach((one) =>
      places.set(one.id, {
        x: x.get(one.id) - left + 10,
        y: 12 + HEIGHT / 2 + depth * (HEIGHT + GAP_Y),
        isNode: one.node !== null,
      }),
    ),
  );
  return { places, wide: right - left + 20 };
}

/** Positions near those that are wanted, in order and without overlap. */
function spread(row, wanted) {
  const out = [...wanted];
  for (let at = 1; at < row.length; at++)
    out[at] = Math.max(out[at], out[at - 1] + (row[at].width + row[at - 1].width) / 2 + GAP_X);
  const shift = mean(out.map((value, at) => value - wanted[at])) ?? 0;
  return out.map((value) => value - shift);
}

function down(points) {
  const [start, ...rest] = points;
  let path = `M${start.x} ${start.y + HEIGHT / 2}`;
  let from = { x: start.x, y: start.y + HEIGHT / 2 };
  for (const point of rest) {
    const top = point.y - HEIGHT / 2;
    const half = (from.y + top) / 2;
    path += ` C${from.x} ${half} ${point.x} ${half} ${point.x} ${top}`;
    if (!point.isNode) path += ` L${point.x} ${point.y + HEIGHT / 2}`;
    from = { x: point.x, y: point.isNode ? top : point.y + HEIGHT / 2 };
  }
  return path;
}

/** An edge that leads back runs up in a lane at the side. */
function up(from, to, lane, half) {
  const [a, b] = [from.x + half, to.x + half];
  const out = `M${a} ${from.y} C${lane} ${from.y} ${lane} ${from.y} ${lane} ${from.y - 14}`;
  return `${out} L${lane} ${to.y + 14} C${lane} ${to.y} ${lane} ${to.y} ${b} ${to.y}`;
}
