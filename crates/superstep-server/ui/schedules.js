// Schedules: runs that begin by the clock. They are listed with their next time, paused, deleted and made here.

import { agents, filled, schemaOf, textIn } from "./adapter.js";
import { api } from "./api.js";
import { button, chip, confirmed, h, say, show } from "./dom.js";
import { form } from "./form.js";
import { brief } from "./json.js";
import { ago } from "./time.js";

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const CHOICES = { day: "Every day", weekday: "Monday to Friday", week: "Every week", hour: "Every hour", cron: "Cron expression" };
const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The cron expression of a choice, `time` as `HH:MM`. */
export function expression(choice, time, day) {
  const [hour, minute] = time.split(":").map(Number);
  const dates = { day: "* * *", weekday: "* * 1-5", week: `* * ${day}` }[choice];
  return choice === "hour" ? `${minute} * * * *` : `${minute} ${hour} ${dates}`;
}

/** A cron expression as people say it, or the expression itself. */
export function inWords(schedule) {
  const found = /^(\d{1,2}) (\d{1,2}|\*) \* \* (\*|1-5|[0-6])$/.exec(schedule.trim());
  if (found === null) return schedule;
  const [minute, hour, day] = [found[1].padStart(2, "0"), found[2].padStart(2, "0"), found[3]];
  if (hour === "0*") return day === "*" ? `Every hour at :${minute}` : schedule;
  const days = day === "*" ? "Every day" : day === "1-5" ? "Monday to Friday" : `Every ${DAYS[Number(day)]}`;
  return `${days} at ${hour}:${minute}`;
}

export async function schedules(main) {
  const all = await agents();
  const list = h("ul", { class: "rows" });
  const making = h("div");
  const add = button("New schedule", () => show(making, maker(all, refresh, () => show(making))), "primary");
  show(
    main,
    h("header", { class: "bar" }, h("h1", { tabIndex: -1 }, "Schedules"), add),
    h("div", { class: "page" }, making, list),
  );
  async function refresh() {
    const found = await api.crons();
    const none = h("li", { class: "quiet" }, "No schedules yet. An agent can run every morning, or take in mail every hour.");
    show(list, found.length === 0 ? none : found.map((cron) => row(cron, all, refresh)));
  }
  await refresh();
  return null;
}

function row(cron, all, refresh) {
  const agent = all.find((one) => one.id === cron.assistant_id || one.graph === cron.assistant_id);
  const isOn = cron.enabled !== false;
  const change = (act) => async (event) => {
    event.currentTarget.disabled = true;
    await act().catch((error) => say(error.message, "error"));
    await refresh();
  };
  const remove = async () => {
    if (await confirmed("Delete this schedule?", "Runs that it started stay.", "Delete")) await api.deleteCron(cron.cron_id);
  };
  const zoned = cron.timezone ?? "UTC";
  return h(
    "li",
    null,
    h(
      "span",
      { class: "line wraps" },
      !isOn && chip("paused"),
      h("strong", { class: "title" }, agent?.title ?? cron.assistant_id),
      h("span", null, inWords(cron.schedule)),
      h("span", { class: "quiet" }, zoned),
      h("span", { class: "quiet" }, brief(textIn(agent?.template, cron.payload?.input) ?? cron.payload?.input ?? {}, 80)),
    ),
    cron.problem && chip(cron.problem, "bad"),
    isOn && cron.next_run_date && h("span", { class: "quiet when" }, "next ", ago(cron.next_run_date)),
    button(isOn ? "Pause" : "Resume", change(() => api.changeCron(cron.cron_id, { enabled: !isOn })), "link"),
    button("Delete", change(remove), "link danger"),
  );
}

/** The form of a new schedule. */
function maker(all, refresh, close) {
  const problem = h("p", { class: "error", role: "alert", hidden: true });
  const what = h("div");
  let chosen = null;
  let input = null;
  const choose = async (agent) => {
    chosen = agent;
    const fields = form(await schemaOf(agent), agent.example ?? undefined);
    const text = h("textarea", { rows: 2, "aria-label": `Message to ${agent.title}` });
    const isText = agent.takes === "text" && agent.template !== null;
    input = isText ? () => text.value.trim() !== "" && { value: filled(agent.template, text.value.trim()) } : fields.read;
    show(what, isText ? h("label", null, "Message ", text) : fields.element);
  };
  const named = (id) => all.find((agent) => agent.id === id);
  const agent = h(
    "select",
    { onchange: () => choose(named(agent.value)) },
    all.map((one) => h("option", { value: one.id }, one.title)),
  );
  const time = h("input", { type: "time", value: "09:00", "aria-label": "Time" });
  const option = (name, number) => h("option", { value: number, selected: number === 1 }, name);
  const day = h("select", { "aria-label": "Day" }, DAYS.map(option));
  const cron = h("input", { value: "0 9 * * *", "aria-label": "Cron expression", spellcheck: false });
  const often = h(
    "select",
    { "aria-label": "How often", onchange: () => fit() },
    Object.entries(CHOICES).map(([value, label]) => h("option", { value }, label)),
  );
  const fit = () => {
    time.hidden = often.value === "cron";
    day.hidden = often.value !== "week";
    cron.hidden = often.value !== "cron";
  };
  const onsubmit = async (event) => {
    event.preventDefault();
    const got = input?.();
    if (!got) return;
    const schedule = often.value === "cron" ? cron.value : expression(often.value, time.value, day.value);
    try {
      await api.newCron({
        assistant_id: chosen.id,
        schedule,
        timezone: zone(),
        input: got.value,
        on_run_completed: "keep",
      });
      close();
      await refresh();
    } catch (error) {
      problem.textContent = error.message;
      problem.hidden = false;
    }
  };
  fit();
  choose(all[0]).catch((error) => say(error.message, "error"));
  return h(
    "form",
    { class: "card", onsubmit },
    h("label", null, "Agent ", agent),
    what,
    h("div", { class: "row" }, often, day, time, cron, h("span", { class: "quiet small" }, zone())),
    problem,
    h("div", { class: "row" }, h("button", { type: "submit", class: "primary" }, "Schedule"), button("Cancel", close)),
  );
}
