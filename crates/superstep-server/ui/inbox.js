// All open questions, with keys: j and k move, a accepts, e edits, r responds, i ignores, x selects, I ignores what is selected.

import { api } from "./api.js";
import { human, question, summary } from "./asking.js";
import { h, say, show, dialog } from "./dom.js";
import { brief, plural } from "./json.js";
import { bind } from "./keys.js";
import { asks, graphOf, titleOf } from "./record.js";
import { ago } from "./time.js";

const PAGE = 100;
const EVERY = 3000;
const WAITING = { status: "interrupted", sort_by: "updated_at", sort_order: "desc" };

/** How many threads wait for a person, as far as a page goes. */
export async function waiting() {
  const found = await api.threads({ ...WAITING, limit: PAGE, select: ["thread_id"] });
  return found.length < PAGE ? String(found.length) : `${PAGE - 1}+`;
}

const assistantOf = (thread) => thread.metadata?.assistant_id ?? thread.metadata?.graph_id;

/** The open questions of one thread, for its own screen. `resume(command)` starts the run that takes the answer. */
export function questions(record, resume) {
  const all = asks(record);
  if (all.length === 0) return null;
  return h(
    "section",
    { class: "questions", "aria-label": "Open questions" },
    h("h2", null, all.length === 1 ? "A question for you" : `${all.length} questions for you`),
    all.map((ask) => question(ask.value, (value) => resume({ resume: answerOf(ask, value) }))),
  );
}

/** By id: the thread may ask another question by now, and this is not the answer to that one. */
const answerOf = (ask, value) => ({ [ask.id]: value });

/** Sends an answer and waits for the end of the run that takes it. */
async function send(entry, value) {
  const request = { assistant_id: assistantOf(entry.thread), command: { resume: answerOf(entry.ask, value) }, stream_mode: ["updates"] };
  let failed = null;
  await api.stream(entry.thread.thread_id, request, (name, data) => {
    if (name === "error") failed = `${data?.error ?? "Error"}: ${data?.message ?? ""}`;
  });
  if (failed !== null) throw new Error(failed);
}

export async function inbox(main) {
  let entries = [];
  let chosen = 0;
  let shown = null;
  let hasMore = false;
  const sending = new Set();
  const selected = new Set();
  const search = h("input", { type: "search", placeholder: "Search", "aria-label": "Search the inbox", oninput: () => draw() });
  const list = h("ul", { class: "rows inbox", "aria-label": "Open questions" });
  const detail = h("div", { class: "detail" });
  const bulk = h("button", { type: "button", onclick: () => ignoreSelected() }, "");
  const about = h("span", { class: "quiet" });
  show(
    main,
    h("h1", null, "Inbox"),
    h("div", { class: "filters" }, search, bulk, about),
    h("div", { class: "split" }, list, detail),
  );

  const key = (entry) => `${entry.thread.thread_id}/${entry.ask.id}`;
  const visible = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    return entries.filter((entry) => !sending.has(key(entry)) && words.every((word) => entry.text.includes(word)));
  };
  const draw = () => {
    const now = visible();
    chosen = Math.max(0, Math.min(chosen, now.length - 1));
    show(
      list,
      now.map((entry, index) => {
        const { title, about } = summary(entry.ask.value);
        const box = h("input", { type: "checkbox", checked: selected.has(key(entry)), "aria-label": `Select: ${brief(title, 60)}`, onchange: () => toggle(entry) });
        return h(
          "li",
          { class: index === chosen ? "chosen" : "" },
          box,
          h("button", { type: "button", class: "line", "aria-pressed": String(index === chosen), onclick: () => pick(index) }, h("span", { class: "title" }, brief(titleOf(entry.thread), 70)), h("span", { class: "quiet" }, brief(`${title} ${about}`, 90))),
          h("span", { class: "quiet when" }, graphOf(entry.thread), " · ", ago(entry.thread.updated_at)),
        );
      }),
      now.length === 0 && h("li", { class: "quiet" }, entries.length === 0 && sending.size === 0 ? "Nobody waits for you." : "Nothing else is open."),
    );
    bulk.hidden = selected.size === 0;
    bulk.textContent = `Ignore ${plural(selected.size, "selected question")}`;
    about.textContent = [sending.size > 0 ? `${plural(sending.size, "answer")} on the way` : "", hasMore ? `More threads wait; the newest ${PAGE} are shown` : ""].filter(Boolean).join("; ");
    const entry = now[chosen];
    const id = entry === undefined ? null : key(entry);
    // What is being written in the shown question stays when the list changes.
    if (id === shown) return;
    shown = id;
    show(
      detail,
      entry === undefined
        ? null
        : [h("h2", null, brief(titleOf(entry.thread), 90)), h("p", { class: "row quiet" }, h("a", { href: `#/thread/${encodeURIComponent(entry.thread.thread_id)}` }, "Open the thread"), h("span", null, graphOf(entry.thread))), question(entry.ask.value, (value) => reply(entry, value))],
    );
  };
  const pick = (index) => {
    chosen = index;
    draw();
  };
  const toggle = (entry) => {
    if (!selected.delete(key(entry))) selected.add(key(entry));
    draw();
  };
  const reply = async (entry, value) => {
    sending.add(key(entry));
    selected.delete(key(entry));
    draw();
    try {
      await send(entry, value);
      say("Answered.");
    } catch (error) {
      say(`${titleOf(entry.thread)}: ${error.message}`, "error");
    }
    sending.delete(key(entry));
    shown = null;
    await refresh();
  };
  const ignoreSelected = async () => {
    const all = entries.filter((entry) => selected.has(key(entry)));
    const able = all.filter((entry) => human(entry.ask.value)?.config?.allow_ignore);
    const sure = await dialog(
      `Ignore ${plural(able.length, "question")}?`,
      h("div", null, h("p", null, "Nothing is sent or done for them."), able.length < all.length && h("p", null, `${all.length - able.length} of those selected cannot be ignored and stay.`), h("ul", null, able.slice(0, 20).map((entry) => h("li", null, brief(titleOf(entry.thread), 80))))),
      [
        { label: "Back", value: "" },
        { label: "Ignore them", value: "yes", kind: "danger" },
      ],
    );
    if (sure !== "yes") return;
    selected.clear();
    // One after the other: two answers of one thread must not start two runs of it.
    for (const entry of able) await reply(entry, [{ type: "ignore", args: null }]);
  };
  const refresh = async () => {
    const found = await api.threads({ ...WAITING, limit: PAGE + 1 });
    hasMore = found.length > PAGE;
    entries = found.slice(0, PAGE).flatMap((thread) => {
      const all = asks(thread);
      return all.map((ask) => ({ thread, ask, all, text: `${titleOf(thread)} ${graphOf(thread)} ${JSON.stringify(ask.value)}`.toLowerCase() }));
    });
    for (const one of selected) if (!entries.some((entry) => key(entry) === one)) selected.delete(one);
    draw();
  };
  await refresh();
  const act = (name) => () => detail.querySelector(".question")?.act(name);
  const unbind = bind([
    ["j", "Next question", () => pick(chosen + 1)],
    ["k", "Question before", () => pick(chosen - 1)],
    ["a", "Accept", act("accept")],
    ["e", "Edit", act("edit")],
    ["r", "Respond", act("respond")],
    ["i", "Ignore", act("ignore")],
    ["x", "Select or not", () => visible()[chosen] && toggle(visible()[chosen])],
    ["I", "Ignore the selected ones", () => selected.size > 0 && ignoreSelected()],
    ["/", "Search", () => search.focus()],
  ]);
  const timer = setInterval(() => {
    if (!document.hidden && sending.size === 0) refresh().catch((error) => (about.textContent = error.message));
  }, EVERY);
  return () => {
    clearInterval(timer);
    unbind();
  };
}
