// The chart of a sheet, drawn from its series: bars, lines, or the parts of a whole as bars.

import { h, svg } from "./dom.js";

const SIZE = { width: 620, height: 210, left: 12, bottom: 26, top: 22 };

/** @param {import("./xlsx.js").Chart} chart */
export function chart({ kind, title, series }) {
  const labels = series[0]?.labels ?? [];
  const values = series.flatMap((one) => one.values).filter(Number.isFinite);
  if (values.length === 0) return null;
  const [most, least] = [Math.max(0, ...values), Math.min(0, ...values)];
  const count = Math.max(...series.map((one) => one.values.length));
  const step = (SIZE.width - 2 * SIZE.left) / Math.max(1, count);
  const y = (value) => SIZE.top + ((most - value) / (most - least || 1)) * (SIZE.height - SIZE.top - SIZE.bottom);
  const x = (at) => SIZE.left + step * (at + 0.5);
  const few = count * series.length <= 16;
  const number = (value) => value.toLocaleString("en", { maximumFractionDigits: 2 });
  const isLine = /line|scatter|area/i.test(kind);
  const wide = Math.min(72, (step * 0.7) / series.length);
  const bars = (one, nth) =>
    one.values.map((value, at) => {
      const left = x(at) - (wide * series.length) / 2 + nth * wide;
      return [
        svg(
          "rect",
          {
            class: `series-${nth % 4}`,
            x: left,
            y: Math.min(y(value), y(0)),
            width: Math.max(1, wide - 2),
            height: Math.max(1, Math.abs(y(value) - y(0))),
            rx: 3,
          },
          svg("title", null, `${one.labels[at] ?? at + 1}: ${number(value)}`),
        ),
        few && svg("text", { x: left + wide / 2, y: Math.min(y(value), y(0)) - 5, "text-anchor": "middle" }, number(value)),
      ];
    });
  const line = (one, nth) =>
    svg("polyline", { class: `series-${nth % 4}`, points: one.values.map((value, at) => `${x(at)},${y(value)}`).join(" ") });
  const every = Math.ceil(count / 12);
  const short = (text) => (text.length > 12 ? `${text.slice(0, 11)}…` : text);
  const words = series.map(
    (one) =>
      `${one.name || "Values"}: ${one.values
        .slice(0, 30)
        .map((value, at) => `${one.labels[at] ?? at + 1} ${number(value)}`)
        .join(", ")}`,
  );
  const picture = svg(
    "svg",
    {
      viewBox: `0 0 ${SIZE.width} ${SIZE.height}`,
      class: "chart",
      role: "img",
      "aria-label": `${title || "Chart"}. ${words.join("; ")}`,
    },
    svg("line", { x1: SIZE.left, x2: SIZE.width - SIZE.left, y1: y(0), y2: y(0), class: "axis" }),
    series.map((one, nth) => (isLine ? line(one, nth) : bars(one, nth))),
    labels.map(
      (label, at) => at % every === 0 && svg("text", { x: x(at), y: SIZE.height - 8, "text-anchor": "middle" }, short(label)),
    ),
  );
  const legend =
    series.length > 1 &&
    h(
      "p",
      { class: "quiet small row" },
      series.map((one, nth) => h("span", { class: `key-${nth % 4}` }, `■ ${one.name}`)),
    );
  return h("figure", { class: "card" }, h("figcaption", null, h("strong", null, title || "Chart")), picture, legend);
}
