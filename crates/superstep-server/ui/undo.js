// Answers that take effect for real wait some seconds on the server before they are carried out. Until then they can be
// undone, from every screen, and after the page or the server was started again.

import { api } from "./api.js";
import { effectOf } from "./effect.js";
import { dropDraft } from "./drafts.js";
import { h, say } from "./dom.js";
import { questionsOf } from "./adapter.js";

/** How long an answer waits. */
const SECONDS = 10;
const TICK = 500;
const LIMIT = 100;

/** Tells screens that a question is open again or was answered. */
export const CHANGED = "answers-changed";

const bars = new Map();

/** Queues an answer; gives when the server has it. The draft stays until it was carried out. */
export async function hold(thread, assistant, ask, value) {
  const request = {
    assistant_id: assistant,
    command: { resume: { [ask.id]: value } },
    after_seconds: SECONDS,
    multitask_strategy: "reject",
  };
  const run = await api.startRun(thread, request);
  show(thread, run.run_id, Date.now() + SECONDS * 1000, [ask], { [ask.id]: value });
}

/** Shows the answers that wait on the server. */
export async function findHeld() {
  const busy = await api.threads({
    status: "busy",
    sort_by: "updated_at",
    sort_order: "desc",
    limit: LIMIT,
    select: ["thread_id", "interrupts", "queued_answers"],
  });
  for (const thread of busy)
    for (const { run_id, due_at, answers } of thread.queued_answers ?? [])
      show(thread.thread_id, run_id, Date.parse(due_at), questionsOf(thread), answers);
}

/** Whether an answer of a thread waits. */
export const isHeld = (thread) => [...bars.values()].some((bar) => bar.dataset.thread === thread);

function show(thread, run, due, open, answers) {
  if (bars.has(run)) return;
  const asked = open.filter((ask) => ask.id in answers);
  const effect = effectOf(asked[0]?.value, answers[asked[0]?.id]);
  const text = h("span", null, "");
  const undo = h("button", { type: "button", onclick: () => cancel() }, "Undo");
  const bar = h("div", { class: "held", role: "status", "data-run": run, "data-thread": thread }, text, undo);
  const end = () => {
    clearInterval(timer);
    bars.delete(run);
    bar.remove();
    document.dispatchEvent(new CustomEvent(CHANGED, { detail: { thread, asks: asked.map((ask) => ask.id) } }));
  };
  const cancel = async () => {
    undo.disabled = true;
    try {
      await api.cancelPending(thread, run);
      say(`Not sent: ${effect.title}. The question is open again.`);
      end();
    } catch (error) {
      if (error.status !== 404) return void ((undo.disabled = false), say(error.message, "error"));
      say("Too late to undo: it has begun.", "error");
    }
  };
  let looks = false;
  const tick = async () => {
    const left = Math.ceil((due - Date.now()) / 1000);
    const now = left > 0 ? `${effect.doing} in ${left} s.` : `${effect.doing}…`;
    if (text.textContent !== now) text.textContent = now;
    undo.hidden = left <= 0;
    if (left > 0 || looks) return;
    looks = true;
    try {
      const { status } = await api.run(thread, run);
      if (status === "pending" || status === "running") return;
      if (status === "success") {
        for (const ask of asked) dropDraft(`${thread}/${ask.id}`);
        say(effect.done);
      } else if (status === "error") say(`${effect.title}: this failed. Open the thread to see why.`, "error");
      end();
    } catch (error) {
      if (error.status === 404) return end();
      // The server is away. The answer is stored there, and the bar stays until it says what became of it.
    } finally {
      looks = false;
    }
  };
  const timer = setInterval(tick, TICK);
  bars.set(run, bar);
  document.getElementById("held").append(bar);
  tick();
}
