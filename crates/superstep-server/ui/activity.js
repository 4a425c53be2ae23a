// A run while it goes on: its steps, its tool calls, its progress, and the text that is being written.
//
// A token changes one text node. Everything else is drawn when a step begins or ends.

import { h, show } from "./dom.js";
import { pretty } from "./json.js";
import { textOf } from "./message.js";
import { span } from "./time.js";

const SIGNS = { running: "◌", done: "✓", failed: "!", asks: "?" };
const STATES = { running: "running", done: "done", failed: "failed", asks: "waits for an answer" };

/** @param {Record<string, string>} labels names of nodes for people */
export function activity(labels) {
  const steps = new Map();
  const calls = new Map();
  const writing = new Map();
  const nodes = {};
  const list = h("ol", { class: "steps-live" });
  const progress = h("p", { class: "progress", role: "status", hidden: true });
  const text = h("div", { class: "writing", "aria-hidden": "true" });
  const summary = h("summary", null, "Working…");
  const fold = h("details", { class: "activity", open: true }, summary, list, progress);
  const element = h("div", { class: "run" }, fold, text);
  const begun = performance.now();

  const labelOf = (name) => labels[name] ?? name.replaceAll("_", " ").replace(/^\w/, (first) => first.toUpperCase());
  const sign = (step, state, took) => {
    step.state = state;
    step.element.className = `step ${state} ${step.isInner ? "inner" : ""}`;
    step.sign.textContent = SIGNS[state];
    step.sign.setAttribute("aria-label", STATES[state]);
    if (took !== undefined) step.took.textContent = span(took);
  };
  const add = (key, label, isInner, body = null) => {
    const step = {
      begun: performance.now(),
      isInner,
      sign: h("span", { class: "sign", role: "img" }),
      took: h("span", { class: "quiet small" }),
      note: h("strong"),
      element: h("li"),
    };
    const head = [step.sign, h("span", null, label), step.note, step.took];
    show(step.element, body === null ? head : h("details", null, h("summary", null, head), body));
    steps.set(key, step);
    list.append(step.element);
    sign(step, "running");
    return step;
  };
  const tool = (call) => {
    if (calls.has(call.id)) return;
    const result = h("pre", { tabIndex: 0, hidden: true });
    const args = typeof call.args === "string" ? call.args : pretty(call.args ?? {});
    const step = add(`call:${call.id}`, call.name ?? "tool", true, [
      h("p", { class: "quiet small" }, "Arguments"),
      h("pre", { tabIndex: 0 }, args),
      result,
    ]);
    const hint = Object.values(call.args ?? {}).find((value) => typeof value === "string" && value.trim() !== "");
    if (hint !== undefined) step.note.textContent = hint.replace(/\s+/g, " ").slice(0, 60);
    calls.set(call.id, { step, result });
  };
  const answered = (message) => {
    const call = calls.get(message.tool_call_id);
    if (call === undefined || call.step.state !== "running") return;
    call.result.textContent = textOf(message);
    call.result.hidden = false;
    sign(call.step, message.status === "error" ? "failed" : "done", performance.now() - call.step.begun);
  };
  const look = (update) => {
    const parts = Array.isArray(update) ? update : [update];
    for (const message of parts
      .flatMap((part) => (part !== null && typeof part === "object" ? Object.values(part) : []))
      .filter(Array.isArray)
      .flat()) {
      for (const call of message?.tool_calls ?? []) if (call?.id) tool(call);
      if ((message?.type ?? message?.role) === "tool") answered(message);
    }
  };
  const task = (data, path) => {
    const key = `${path}/${data.id}`;
    if (!("result" in data)) {
      nodes[data.name] = "running";
      if (!steps.has(key)) add(key, labelOf(data.name), path !== "");
      return;
    }
    const step = steps.get(key) ?? add(key, labelOf(data.name), path !== "");
    const state = data.error ? "failed" : (data.interrupts ?? []).length > 0 ? "asks" : "done";
    nodes[data.name] = state === "asks" ? "waiting" : state;
    sign(step, state, performance.now() - step.begun);
    look(data.result);
  };
  /** @param {any[]} pair */
  const piece = ([message, meta]) => {
    if ((message?.type ?? "").startsWith("tool")) return answered(message);
    for (const call of message?.tool_calls ?? []) if (call?.id && call.name) tool(call);
    const added = textOf(message);
    if (added === "") return;
    const key = message.id ?? meta?.langgraph_node ?? "";
    if (!writing.has(key)) {
      const node = document.createTextNode("");
      writing.set(key, node);
      text.append(h("p", null, node));
    }
    writing.get(key).appendData(added);
  };
  const told = ({ phase, label, done, total, waiting }) => {
    const last = [...steps.values()].findLast((step) => step.state === "running");
    // The beginning of a step is shown by the step itself.
    const isStep = last !== undefined && phase in nodes && !Number.isFinite(done) && !Number.isFinite(total);
    const what = [label, Number.isFinite(total) ? `${done ?? 0} of ${total}` : null].filter(Boolean).join(", ");
    if (what !== "" && !isStep && last !== undefined) last.note.textContent = what;
    progress.hidden = !waiting;
    if (waiting)
      progress.textContent = `Waiting: ${waiting.why}${waiting.attempt ? `, attempt ${waiting.attempt} of ${waiting.of}` : ""}.`;
  };
  return {
    element,
    nodes,
    /** Takes an event of the stream. */
    feed(name, data) {
      const [mode, ...path] = name.split("|");
      if (mode === "tasks") task(data, path.join("|"));
      else if (mode === "updates") Object.values(data ?? {}).forEach(look);
      else if (mode === "messages" && Array.isArray(data)) piece(data);
      else if (mode === "progress") told(data ?? {});
    },
    /** Folds the steps once the run has ended; the text stands in the conversation then. */
    end() {
      const count = [...steps.values()].filter((step) => !step.isInner).length;
      summary.textContent = `${count === 1 ? "1 step" : `${count} steps`}, ${span(performance.now() - begun)}`;
      fold.open = false;
      progress.hidden = true;
      text.remove();
      element.hidden = count === 0;
    },
  };
}
