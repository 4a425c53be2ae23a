// The steps of a thread as a tree of branches: what each step changed, the state after it, and going on from any of them.

import { api } from "./api.js";
import { diff } from "./diff.js";
import { h, say, show } from "./dom.js";
import { editor, plural, tree } from "./json.js";
import { ago } from "./time.js";

const PAGE = 100;

/** The list with the chosen step beside it. `actions` are `{refresh, run}` of the thread's screen. */
export async function steps(record, actions) {
  const found = await api.history(record.thread_id, PAGE);
  if (found.length === 0) return h("p", { class: "quiet" }, "No step yet.");
  const byId = new Map(found.map((state) => [idOf(state), state]));
  const detail = h("div", { class: "detail", "aria-live": "polite" });
  const buttons = [];
  const pick = (index) => {
    const [state, parent] = [found[index], byId.get(parentOf(found[index]))];
    buttons.forEach((button, at) => button.setAttribute("aria-pressed", String(at === index)));
    show(detail, step(record, state, parent, actions));
  };
  const list = h("ol", { class: "steps" });
  const lanes = branches(found);
  const add = (from) => {
    for (let index = from; index < found.length; index++) {
      const state = found[index];
      const button = h(
        "button",
        { type: "button", "aria-pressed": "false", onclick: () => pick(index) },
        h("span", { class: "lane", "aria-hidden": "true" }, "│ ".repeat(lanes[index]), "●"),
        h("span", { class: "number" }, `step ${state.metadata?.step ?? "?"}`),
        h("span", null, titleOf(state)),
        h("span", { class: "quiet when" }, state.created_at ? ago(state.created_at) : ""),
      );
      buttons.push(button);
      list.append(h("li", null, button));
    }
  };
  add(0);
  const whole = h("div", { class: "split" }, h("div", null, list), detail);
  if (found.length === PAGE) {
    const more = h(
      "button",
      {
        type: "button",
        onclick: async () => {
          const next = await api.history(record.thread_id, PAGE, idOf(found[found.length - 1]));
          const from = found.length;
          found.push(...next);
          for (const state of next) byId.set(idOf(state), state);
          lanes.splice(0, lanes.length, ...branches(found));
          add(from);
          if (next.length < PAGE) more.remove();
        },
      },
      "Older steps",
    );
    list.after(more);
  }
  pick(0);
  return whole;
}

const idOf = (state) => state.checkpoint?.checkpoint_id ?? state.checkpoint_id;
const parentOf = (state) => state.parent_checkpoint?.checkpoint_id ?? state.parent_checkpoint_id ?? null;

/** How deep each state is drawn: a state whose parent already has a newer child begins a branch. */
function branches(found) {
  const lane = new Map();
  const taken = new Set();
  let lanes = 0;
  return found.map((state) => {
    const id = idOf(state);
    const own = lane.get(id) ?? lanes++;
    const parent = parentOf(state);
    if (parent !== null && !taken.has(parent)) {
      taken.add(parent);
      lane.set(parent, own);
    }
    return own;
  });
}

function titleOf(state) {
  const waits = (state.tasks ?? []).filter((task) => (task.interrupts ?? []).length > 0).map((task) => task.name);
  if (waits.length > 0) return `${waits.join(", ")} asks`;
  const failed = (state.tasks ?? []).filter((task) => task.error).map((task) => task.name);
  if (failed.length > 0) return `${failed.join(", ")} failed`;
  if ((state.next ?? []).length === 0) return state.metadata?.source === "update" ? "updated by hand" : "end";
  return `next: ${state.next.join(", ")}`;
}

function step(record, state, parent, actions) {
  const busy = record.status === "busy";
  const asNode = h("input", { type: "text", id: "as-node", placeholder: "as the node that ran last" });
  const edit = editor(state.values ?? {}, "Values of the fork");
  const fork = h(
    "details",
    null,
    h("summary", null, "Fork with another state"),
    h("p", { class: "hint" }, "The fields you change are written as an update after this step, through the reducers of the graph. The steps that are there stay."),
    edit.element,
    h("label", { for: "as-node" }, "Node in whose name it is written"),
    asNode,
    h(
      "div",
      { class: "row" },
      h("button", { type: "button", class: "primary", disabled: busy, onclick: () => write(record, state, edit, asNode.value, actions, true) }, "Write and run"),
      h("button", { type: "button", disabled: busy, onclick: () => write(record, state, edit, asNode.value, actions, false) }, "Write only"),
    ),
  );
  return [
    h("h2", null, `Step ${state.metadata?.step ?? "?"}`),
    h("p", { class: "quiet" }, h("code", null, idOf(state)), " · ", state.metadata?.source ?? "loop"),
    (state.tasks ?? []).length > 0 &&
      h(
        "ul",
        { class: "tasks" },
        state.tasks.map((task) =>
          h("li", null, h("strong", null, task.name), task.error ? h("span", { class: "error" }, ` failed: ${errorOf(task.error)}`) : (task.interrupts ?? []).length > 0 ? ` asks ${plural(task.interrupts.length, "question")}` : ""),
        ),
      ),
    h("h3", null, "Changed by this step"),
    diff(parent?.values ?? {}, state.values ?? {}),
    h("h3", null, "State after it"),
    tree(state.values ?? {}, 1),
    h("div", { class: "row" }, h("button", { type: "button", disabled: busy || (state.next ?? []).length === 0, onclick: () => actions.run({ input: null, checkpoint_id: idOf(state) }) }, "Run again from here")),
    fork,
  ];
}

const errorOf = (error) => (typeof error === "string" ? error : (error.message ?? JSON.stringify(error)));

async function write(record, state, edit, asNode, actions, run) {
  const got = edit.read();
  if (got === null) return;
  const before = state.values ?? {};
  const values = Object.fromEntries(Object.entries(got.value ?? {}).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])));
  try {
    const update = { values, checkpoint_id: idOf(state) };
    if (asNode.trim() !== "") update.as_node = asNode.trim();
    await api.updateState(record.thread_id, update);
  } catch (error) {
    say(error.message, "error");
    return;
  }
  say("Written as a new step.");
  if (run) await actions.run({ input: null });
  else await actions.refresh();
}
