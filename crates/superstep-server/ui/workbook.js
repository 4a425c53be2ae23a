// The workbook of a thread: its sheets as a grid with the changes marked, its charts, and its versions.

import { questionsOf } from "./adapter.js";
import { api } from "./api.js";
import { chart } from "./chart.js";
import { button, chip, h, say, show } from "./dom.js";
import { save } from "./files.js";
import { grid } from "./grid.js";
import { human } from "./human.js";
import { plural } from "./json.js";
import { letters, place, readWorkbook } from "./xlsx.js";

const CACHED = 6;
const read = new Map();

/** The cells of a version; the last few are kept. */
function sheetsOf(hash) {
  const known = read.get(hash) ?? api.download(hash).then(readWorkbook);
  read.delete(hash);
  read.set(hash, known);
  known.catch(() => read.delete(hash));
  if (read.size > CACHED) read.delete(read.keys().next().value);
  return known;
}

/** Differences by `row:column`, from the sheet before to the sheet now. */
export function changesOf(before, now) {
  const marks = new Map();
  const same = (a, b) => a.raw === b.raw && a.formula === b.formula;
  for (const [key, cell] of now.cells) {
    const old = before?.cells.get(key);
    if (old === undefined) marks.set(key, { kind: "added", was: "" });
    else if (!same(old, cell)) marks.set(key, { kind: "changed", was: old.formula === null ? old.text : `=${old.formula}` });
  }
  for (const [key, cell] of before?.cells ?? []) if (!now.cells.has(key)) marks.set(key, { kind: "removed", was: cell.text });
  return marks;
}

/** The cells that an open question wants to empty, as pairs of a sheet and `row:column`. */
function lostCells(record) {
  const lost = questionsOf(record).flatMap((ask) => human(ask.value)?.args.cells ?? []);
  return lost.flatMap(({ sheet, cell }) => {
    const at = place(String(cell));
    return at === null ? [] : [[sheet, `${at.row}:${at.column}`]];
  });
}

/** The versions of a thread, newest first: `{hash, about, step}`. */
function versionsOf({ problem, op_log: log = [], messages = [], version }) {
  const said = new Map();
  for (const message of messages) for (const call of message.tool_calls ?? []) said.set(call.id, textOf(message));
  const out = problem.workbook
    ? [{ hash: problem.workbook, about: problem.file ? `${problem.file}, as you gave it` : "The file you gave", step: 0 }]
    : [];
  for (const { call, tool, operations = {}, version: hash, step, is_done: isDone } of log) {
    if (!isDone || hash === out.at(-1)?.hash) continue;
    const counts = Object.entries(operations).map(([name, count]) => `${count} ${name}`);
    out.push({ hash, about: said.get(call) || [tool, ...counts].join(", "), step });
  }
  if (version && !out.some((one) => one.hash === version)) out.push({ hash: version, about: "The current version", step: null });
  return out.reverse();
}

const textOf = (message) => (typeof message.content === "string" ? message.content : "").replace(/\s+/g, " ").trim().slice(0, 140);

export function workbook() {
  let values = null;
  let record = null;
  let versions = [];
  let chosen = null;
  let since = "given";
  let sheet = null;
  let drawn = "";
  const tabs = h("div", { class: "sheets row", role: "group", "aria-label": "Sheets" });
  const formula = h("p", { class: "formula", role: "status" }, " ");
  const gridPlace = h("div", { class: "grid-place" });
  const charts = h("div");
  const list = h("ol", { class: "versions" });
  const acts = h("div", { class: "row" });
  const compare = h(
    "select",
    { onchange: () => ((since = compare.value), draw()) },
    h("option", { value: "given" }, "the file you gave"),
    h("option", { value: "step" }, "the version before"),
  );
  const element = h(
    "div",
    { class: "workbook" },
    h("div", { class: "row" }, tabs, h("label", { class: "small quiet" }, "Changes since ", compare)),
    formula,
    gridPlace,
    charts,
    h("h2", { class: "label" }, "Versions"),
    list,
    acts,
  );

  const name = () => (values.problem.file || "workbook.xlsx").replace(/(\.xls[xm])?$/i, (end) => `-result${end || ".xlsx"}`);
  const draw = async () => {
    const at = versions.findIndex((one) => one.hash === chosen);
    const version = versions[at];
    if (version === undefined) return;
    const base = since === "given" ? versions.at(-1) : (versions[at + 1] ?? version);
    const key = JSON.stringify([version.hash, base.hash, sheet, versions.length, lostCells(record)]);
    if (key === drawn) return;
    drawn = key;
    drawVersions();
    show(gridPlace, h("p", { class: "quiet loading" }, "Reading the workbook…"));
    try {
      const [now, before] = await Promise.all([sheetsOf(version.hash), sheetsOf(base.hash)]);
      if (key === drawn) drawSheets(now, before, base.hash === version.hash);
    } catch (error) {
      show(
        gridPlace,
        h(
          "p",
          { class: "error loading" },
          error.status === 404 ? "The server does not have this version any more." : error.message,
        ),
      );
    }
  };
  const drawSheets = (now, before, isSame) => {
    const marks = new Map(
      now.map((one) => [
        one.name,
        isSame
          ? new Map()
          : changesOf(
              before.find((other) => other.name === one.name),
              one,
            ),
      ]),
    );
    const gone = before.filter((one) => !now.some((other) => other.name === one.name));
    for (const [name, at] of lostCells(record))
      marks.get(name)?.set(at, { kind: "removed", was: now.find((one) => one.name === name)?.cells.get(at)?.text ?? "" });
    // The first sheet that changed is the one to look at.
    const open = now.find((one) => one.name === sheet) ?? now.findLast((one) => marks.get(one.name).size > 0) ?? now[0];
    if (open === undefined) return show(gridPlace, h("p", { class: "quiet loading" }, "This workbook has no sheets."));
    const pick = (one) => {
      sheet = one.name;
      drawn = "";
      draw();
    };
    show(
      tabs,
      now.map((one) =>
        button(
          [one.name, marks.get(one.name).size > 0 && chip(plural(marks.get(one.name).size, "change"), "good")],
          () => pick(one),
          "sheet-tab",
          { "aria-pressed": String(one === open) },
        ),
      ),
      gone.map((one) => chip(`${one.name} removed`, "bad")),
    );
    const onpick = (row, column) => {
      const cell = open.cells.get(`${row}:${column}`);
      const mark = marks.get(open.name).get(`${row}:${column}`);
      const content = cell === undefined ? "empty" : cell.formula === null ? cell.raw : `=${cell.formula}`;
      show(
        formula,
        h("strong", null, `${letters(column)}${row}`),
        " ",
        h("code", null, content),
        mark !== undefined && mark.was !== "" && h("span", { class: "quiet" }, ` was ${mark.was}`),
      );
    };
    show(gridPlace, grid(open, marks.get(open.name), onpick));
    onpick(1, 1);
    show(charts, open.charts.map(chart));
  };
  const drawVersions = () => {
    const choose = (version) => {
      chosen = version.hash;
      draw();
    };
    show(
      list,
      versions.map((version, at) =>
        h(
          "li",
          null,
          button(
            [
              h("span", null, version.about),
              h("span", { class: "quiet small" }, at === 0 ? "current" : version.step === 0 ? "unchanged" : `step ${version.step}`),
            ],
            () => choose(version),
            "version",
            { "aria-pressed": String(version.hash === chosen) },
          ),
        ),
      ),
    );
    const file = chosen === versions[0].hash ? name() : `${chosen.slice(0, 8)}-${values.problem.file || "workbook.xlsx"}`;
    const isBusy = record.status === "busy";
    show(
      acts,
      button(`Download ${file}`, () => save(chosen, file), "primary"),
      chosen !== versions[0].hash &&
        button("Go back to this version", back, "", { disabled: isBusy || record.status === "interrupted" }),
    );
  };
  const back = async () => {
    try {
      await api.updateState(record.thread_id, { values: { version: chosen } });
      say("The next instruction continues from this version.");
    } catch (error) {
      say(error.message, "error");
    }
  };
  return {
    element,
    update(now) {
      record = now;
      values = now.values;
      const latest = versions[0]?.hash;
      versions = versionsOf(values);
      const current = versions.findIndex((one) => one.hash === values.version);
      if (current > 0) versions.unshift(...versions.splice(current, 1));
      if (chosen === null || chosen === latest) chosen = versions[0]?.hash ?? null;
      draw();
    },
  };
}
