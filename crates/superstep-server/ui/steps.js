// The steps of a thread as a tree of branches: what each step changed, the state after it, and a way to continue from any of them.

import { api } from "./api.js";
import { branchList } from "./branches.js";
import { diff } from "./diff.js";
import { button, h, say, show } from "./dom.js";
import { editor, plural, tree } from "./json.js";
import { ago } from "./time.js";

const PAGE = 100;

/** The list with the chosen step beside it. */
export async function steps({ panel, record, run, refresh }) {
  const id = record.thread_id;
  let thread = record;
  let found = [];
  let chosen = null;
  const detail = h("div", { class: "detail", "aria-live": "polite" });
  const list = h("ol", { class: "steps" });
  const more = button("Older steps", () => older());
  const branches = branchList({
    id,
    panel: detail,
    pick: (checkpoint) => {
      const state = found.find((one) => idOf(one) === checkpoint);
      if (state === undefined) say("This step is further back: press “Older steps”.");
      else pick(state);
    },
    refresh,
  });
  show(panel, h("div", { class: "split" }, h("div", null, branches.element, list, more), detail));
  const actions = { run: (request) => run(request).catch((error) => say(error.message, "error")), refresh };
  const pick = (state) => {
    chosen = idOf(state);
    for (const one of list.querySelectorAll("button")) one.setAttribute("aria-pressed", String(one.dataset.step === chosen));
    show(
      detail,
      step(
        thread,
        state,
        parentIn(found, state),
        actions,
      ),
    );
  };
  const draw = () => {
    const lanes = lanesOf(found);
    const line = (state, at) => [
      h("span", { class: "lane", "aria-hidden": "true" }, "│ ".repeat(lanes[at]), "●"),
      h("span", { class: "number" }, `step ${state.metadata?.step ?? "?"}`),
      h("span", null, titleOf(state, parentIn(found, state))),
      h("span", { class: "quiet when" }, state.created_at ? ago(state.created_at, true) : ""),
    ];
    const press = (state) => ({ "aria-pressed": String(idOf(state) === chosen), "data-step": idOf(state) });
    show(
      list,
      found.map((state, at) =>
        h(
          "li",
          null,
          button(line(state, at), () => pick(state), "", press(state)),
        ),
      ),
    );
    if (found.length === 0) show(detail, h("p", { class: "quiet" }, "No steps yet."));
  };
  const older = async () => {
    const next = await api.history(id, PAGE, idOf(found[found.length - 1]));
    found.push(...next);
    more.hidden = next.length < PAGE;
    draw();
  };
  const read = async (now) => {
    thread = now;
    const isWritten = detail.contains(document.activeElement) && document.activeElement.localName === "textarea";
    const [history] = await Promise.all([api.history(id, PAGE), branches.read(now.status === "busy")]);
    found = history;
    more.hidden = found.length < PAGE;
    const isHere = found.some((state) => idOf(state) === chosen);
    draw();
    // An edit in progress stays.
    if (found.length > 0 && !(isHere && isWritten)) pick(found[0]);
  };
  await read(record);
  return { refresh: read };
}

const idOf = (state) => state.checkpoint?.checkpoint_id ?? state.checkpoint_id;
const parentOf = (state) => state.parent_checkpoint?.checkpoint_id ?? state.parent_checkpoint_id ?? null;
const parentIn = (found, state) => found.find((other) => idOf(other) === parentOf(state));

/** How deep each state is drawn: a state whose parent already has a newer child begins a branch. */
function lanesOf(found) {
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

/** What happened in a step: the tasks of the state before it, an input or an update; then what asks or failed after it. */
function titleOf(state, parent) {
  const { source } = state.metadata ?? {};
  const names = (tasks) => [...new Set(tasks.map(({ name }) => (name === "__start__" ? "start" : name)))].join(", ");
  const tasks = state.tasks ?? [];
  const asks = names(tasks.filter((task) => (task.interrupts ?? []).length > 0));
  const failed = names(tasks.filter((task) => task.error));
  const ran = names(parent?.tasks ?? []);
  const done = source === "input" ? "input" : source === "update" ? "updated by hand" : ran || "step";
  return [done, asks && `${asks} asks`, failed && `${failed} failed`].filter(Boolean).join(" · ");
}

function step(record, state, parent, actions) {
  const busy = record.status === "busy";
  const asNode = h("input", { type: "text", id: "as-node", placeholder: "as the node that ran last" });
  const edit = editor(state.values ?? {}, "Values of the fork");
  const fork = h(
    "details",
    null,
    h("summary", null, "Fork with another state"),
    h(
      "p",
      { class: "hint" },
      "The fields you change are written as an update after this step, through the reducers of the graph. The existing steps stay.",
    ),
    edit.element,
    h("label", { for: "as-node" }, "Node in whose name it is written"),
    asNode,
    h(
      "div",
      { class: "row" },
      button("Write and run", () => write(record, state, edit, asNode.value, actions, true), "primary", { disabled: busy }),
      button("Write only", () => write(record, state, edit, asNode.value, actions, false), "", { disabled: busy }),
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
          h(
            "li",
            null,
            h("strong", null, task.name),
            task.error
              ? h("span", { class: "error" }, ` failed: ${errorOf(task.error)}`)
              : (task.interrupts ?? []).length > 0
                ? ` asks ${plural(task.interrupts.length, "question")}`
                : "",
          ),
        ),
      ),
    h("h3", null, "Changed by this step"),
    diff(parent?.values ?? {}, state.values ?? {}),
    h("h3", null, "State after it"),
    tree(state.values ?? {}, 1),
    h(
      "div",
      { class: "row" },
      button("Run again from here", () => actions.run({ input: null, checkpoint_id: idOf(state) }), "", {
        disabled: busy || (state.next ?? []).length === 0,
      }),
    ),
    fork,
  ];
}

const errorOf = (error) => (typeof error === "string" ? error : (error.message ?? JSON.stringify(error)));

async function write(record, state, edit, asNode, actions, run) {
  const got = edit.read();
  if (got === null) return;
  const before = state.values ?? {};
  const values = Object.fromEntries(
    Object.entries(got.value ?? {}).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])),
  );
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
