import assert from "node:assert/strict";
import { test } from "node:test";
import "./dom.mjs";

const { expression, inWords } = await import("../../ui/schedules.js");
const { formatted } = await import("../../ui/number_format.js");
const { letters, place } = await import("../../ui/xlsx.js");
const { layout } = await import("../../ui/layout.js");
const { flowchart } = await import("../../ui/diagram.js");
const { filled, textIn } = await import("../../ui/adapter.js");
const { span } = await import("../../ui/time.js");
const { sizeOf } = await import("../../ui/files.js");

test("a schedule is said in words, and the words of the form say the same schedule", () => {
  const said = [
    [expression("day", "09:05", 1), "Every day at 09:05"],
    [expression("weekday", "17:30", 1), "Monday to Friday at 17:30"],
    [expression("week", "08:00", 3), "Every Wednesday at 08:00"],
    [expression("hour", "00:15", 1), "Every hour at :15"],
  ];
  for (const [schedule, words] of said) assert.equal(inWords(schedule), words);
  assert.equal(inWords("*/5 9-17 * * 1,3"), "*/5 9-17 * * 1,3");
});

test("numbers of cells are shown as their format says", () => {
  assert.equal(formatted(1234.5, "#,##0.00"), "1,234.50");
  assert.equal(formatted(0.256, "0%"), "26%");
  assert.equal(formatted(45000, 14), "2023-03-15");
});

test("a flowchart has its nodes and edges, and what is no flowchart stays text", () => {
  const chart = flowchart('flowchart TD\n    n0["shop/main.py"]\n    n1(cart)\n    n0 --> n1 -.-> n2;\n');
  assert.deepEqual(
    chart.nodes.map(({ label }) => label),
    ["shop/main.py", "cart", "n2"],
  );
  assert.deepEqual(chart.edges, [
    { source: "n0", target: "n1", conditional: false },
    { source: "n1", target: "n2", conditional: true },
  ]);
  for (const text of ["classDiagram\n  class Cart", "flowchart TD\n  subgraph one\n  a --> b\n  end", ""])
    assert.equal(flowchart(text), null);
});

test("columns have letters, and addresses have places", () => {
  assert.deepEqual([1, 26, 27, 702].map(letters), ["A", "Z", "AA", "ZZ"]);
  assert.deepEqual(place("AB12"), { row: 12, column: 28 });
});

test("no edge of a drawn graph runs through a node", () => {
  const nodes = ["start", "a", "b", "c", "end"].map((id) => ({ id, label: id }));
  const edges = [["start", "a"], ["a", "b"], ["b", "c"], ["a", "c"], ["c", "end"], ["a", "end"], ["c", "a"]];
  const width = 100;
  const drawn = layout(nodes, edges.map(([source, target]) => ({ source, target })), width);
  for (const edge of drawn.edges) {
    const points = [...edge.path.matchAll(/(-?[\d.]+)[ ,](-?[\d.]+)/g)].map((found) => [Number(found[1]), Number(found[2])]);
    const others = drawn.nodes.filter(({ id }) => id !== edge.source && id !== edge.target);
    for (const [x, y] of points)
      for (const node of others)
        assert.ok(Math.abs(x - node.x) >= width / 2 || Math.abs(y - node.y) >= 19, `${edge.source} to ${edge.target} at ${node.id}`);
  }
});

test("a message goes to its place in the input of an agent, and is found there again", () => {
  const template = { problem: { instruction: "$text", workbook: "" } };
  const input = filled(template, "Add a total");
  assert.deepEqual(input, { problem: { instruction: "Add a total", workbook: "" } });
  assert.equal(textIn(template, input), "Add a total");
});

test("durations and sizes are as people read them", () => {
  assert.deepEqual([0.3, 340, 2100, 190_000].map(span), ["0.3 ms", "340 ms", "2.1 s", "3 min 10 s"]);
  assert.deepEqual([999, 1500, 2_500_000].map(sizeOf), ["999 bytes", "1.5 KB", "2.5 MB"]);
});
