import assert from "node:assert/strict";
import { test } from "node:test";
import "./dom.mjs";

const { markdown } = await import("../../ui/markdown.js");
const { linkCitations, linkFiles, placesOf } = await import("../../ui/citations.js");
const { changes, lines } = await import("../../ui/diff.js");
const { notices } = await import("../../ui/blocks.js");

test("Markdown becomes elements, and HTML in it stays text", () => {
  const shown = markdown("# Title\n\n- one\n  - two\n\n`x` **y** <img src=x onerror=z>\n\n| a | b |\n|---|---|\n| 1 | 2 |");
  assert.deepEqual(shown.all("li").map((item) => item.textContent), ["onetwo", "two"]);
  assert.equal(shown.all("strong")[0].textContent, "y");
  assert.equal(shown.all("img").length, 0);
  assert.match(shown.textContent, /<img src=x onerror=z>/);
  assert.deepEqual(shown.all("td").map((cell) => cell.textContent), ["1", "2"]);
});

test("links lead to web and mail addresses alone, and say where", () => {
  const shown = markdown("[a](https://example.org/x) [b](javascript:alert(1)) [c](file:///etc/passwd)");
  assert.deepEqual(shown.all("a").map((link) => link.href), ["https://example.org/x"]);
  assert.match(shown.textContent, /a \(https:\/\/example\.org\/x\)/);
});

test("a citation names a file and lines, and one without a file is of the file before it", () => {
  assert.deepEqual(placesOf("notes.txt:3"), [{ path: "notes.txt", first: 3, last: 3, text: "notes.txt:3" }]);
  const two = placesOf("docs/a.md:12-14, 20");
  assert.deepEqual(two.map(({ path, first, last }) => [path, first, last]), [["docs/a.md", 12, 14], ["docs/a.md", 20, 20]]);
  assert.equal(placesOf("12"), null);
  assert.equal(placesOf("a note"), null);
});

test("citations open the cited lines, but not those in code", () => {
  const opened = [];
  const shown = linkCitations(markdown("It is so [a.md:4-6].\n\n`[b.md:1]` and [c](https://example.org/x:1)"), (...place) =>
    opened.push(place),
  );
  const buttons = shown.all("button");
  assert.deepEqual(buttons.map((one) => one.textContent), ["a.md:4-6"]);
  buttons[0].listeners.click({ detail: 1 });
  assert.deepEqual(opened, [["a.md", 4, 6]]);
  assert.match(shown.textContent, /It is so \[a\.md:4-6\]\./);
});

test("links to files open them at their lines, and others stay text", () => {
  const opened = [];
  const text = "See [`cart.rs`](../src/cart.rs#L12-L14), [Figures](kpi.md) and [b](javascript:alert).";
  const shown = linkFiles(markdown(text), (...place) => opened.push(place));
  const buttons = shown.all("button");
  assert.deepEqual(buttons.map((one) => one.textContent), ["cart.rs", "Figures"]);
  for (const one of buttons) one.listeners.click({ detail: 1 });
  assert.deepEqual(opened, [["src/cart.rs", 12, 14], ["kpi.md", 0, 0]]);
  assert.match(shown.textContent, /b \(javascript:alert\)/);
});

test("differences are named by their paths", () => {
  const before = { a: 1, list: [1, 2], same: { x: null } };
  const after = { a: 2, list: [1, 3], same: { x: null }, "b/c": true };
  assert.deepEqual(changes(before, after), [
    { path: "/a", before: 1, after: 2 },
    { path: "/list/1", before: 2, after: 3 },
    { path: "/b~1c", before: undefined, after: true },
  ]);
});

test("lines of two texts that are in one of them are marked", () => {
  const shown = lines("a\nb\nc", "a\nc\nd");
  assert.deepEqual(shown.all("del").map((line) => line.textContent), ["- b"]);
  assert.deepEqual(shown.all("ins").map((line) => line.textContent), ["+ d"]);
});

test("pieces of a stream are one text, and many indented lines are folded", () => {
  const line = (text) => ({ kind: "line", weight: "data", spans: [{ style: "faint", text: "  " }, { style: "plain", text }] });
  const pieces = [{ kind: "piece", text: "Hello " }, { kind: "piece", text: "**you**" }];
  const [text, details, ...rest] = notices([{ blocks: [...pieces, ...Array.from({ length: 9 }, (_, at) => line(`${at}`))] }]);
  assert.equal(text.all("strong")[0].textContent, "you");
  assert.equal(details.tagName, "DETAILS");
  assert.equal(details.all("summary")[0].textContent, "9 details");
  assert.deepEqual(rest, []);
});
