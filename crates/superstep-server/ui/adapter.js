// Agents and threads in the words of people, as the server describes them: `metadata.ui` of an assistant, `/threads/{id}/view`, and
// `view` in the rows of a search.

import { api } from "./api.js";
import { brief } from "./json.js";
import { human } from "./human.js";

/**
 * @typedef {{id: string, graph: string, title: string, about: string, example: any, takes: "text" | "form", template: any,
 *   followUp: any, state: "ready" | "rehearsal" | "unable", needs: {what: string, why: string, fix: string}[],
 *   nodes: Record<string, string>}} Agent
 * @typedef {{blocks: any[]}} Notice
 * @typedef {{role: string, at: number | null, run: string | null, text: string | null, notices: Notice[]}} Turn
 * @typedef {{title: string, subtitle: string, outcome: {status: string, notices: Notice[]}, transcript: Turn[], questions: any[],
 *   usage: any, actions: string[]}} View
 * @typedef {{id: string, graph: string, title: string, subtitle: string, status: string, updated: string, record: any}} Row
 */

const FRESH = 15_000;

let known = null;

/** The agents of this server; a list that is some seconds old is used again. */
export function agents() {
  if (known === null || known.until < Date.now()) {
    const list = api.assistants().then((all) => all.map(agent).sort((a, b) => a.title.localeCompare(b.title)));
    known = { until: Date.now() + FRESH, list };
    list.catch(() => (known = null));
  }
  return known.list;
}

let caller = null;

/** The caller as the server knows them: `{owner, roles, whole_server, settings}`. */
export function me() {
  if (caller === null) {
    caller = api.me();
    caller.catch(() => (caller = null));
  }
  return caller;
}

/** The agent with this id of an assistant or a graph, or null. */
export async function agentOf(id) {
  const all = await agents();
  return all.find((one) => one.id === id) ?? all.find((one) => one.graph === id) ?? null;
}

/** @returns {Agent} */
function agent(record) {
  const meta = record.metadata ?? {};
  const ui = meta.ui ?? {};
  const followUp = ui.follow_up_template ?? meta.follow_up ?? null;
  const field = ui.text_field ?? null;
  const template = ui.input_template ?? (field !== null ? put(field, "$text") : ui.takes === "form" ? null : followUp);
  return {
    id: record.assistant_id,
    graph: record.graph_id,
    title: ui.title ?? record.name ?? record.graph_id,
    about: ui.about ?? record.description ?? meta.description ?? "",
    example: ui.example ?? meta.example_input ?? null,
    takes: ui.takes ?? (template === null ? "form" : "text"),
    template,
    followUp,
    state: ui.state ?? "ready",
    needs: ui.needs ?? [],
    nodes: ui.nodes ?? {},
  };
}

/** An object with a value at a place, `a.b` or `/a/b`. */
function put(path, value) {
  const names = path.startsWith("/") ? path.slice(1).split("/") : path.split(".");
  return names.reduceRight((within, name) => ({ [name]: within }), value);
}

/** The template with the text in its place. */
export function filled(template, text) {
  if (template === "$text") return text;
  if (Array.isArray(template)) return template.map((part) => filled(part, text));
  if (template === null || typeof template !== "object") return template;
  return Object.fromEntries(Object.entries(template).map(([name, part]) => [name, filled(part, text)]));
}

/** The text that an input has in the place of the template's `$text`, or null. */
export function textIn(template, input) {
  if (template === "$text") return typeof input === "string" ? input : null;
  if (template === null || typeof template !== "object") return null;
  for (const [name, part] of Object.entries(template)) {
    const found = textIn(part, input?.[name]);
    if (found !== null) return found;
  }
  return null;
}

/** The schema of an agent's input; made of its example where the server has none. */
export async function schemaOf(agent) {
  const { input_schema: schema } = await api.schemas(agent.id);
  if (Object.keys(schema?.properties ?? {}).length > 0) return schema;
  return agent.example === null ? (schema ?? {}) : like(agent.example, "");
}

const HINTS = { workbook: "file", file: "file", folder: "folder", root: "folder", mail: "mail" };

function like(value, name) {
  const hint = HINTS[name] === undefined ? {} : { "x-ui": HINTS[name] };
  if (Array.isArray(value)) return { type: "array", items: value.length > 0 ? like(value[0], name) : {} };
  if (value !== null && typeof value === "object") {
    return { type: "object", properties: Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, like(inner, key)])) };
  }
  return { type: value === null ? "string" : typeof value, ...hint };
}

/**
 * The view of a thread. Each question has what the thread holds of it and, as `view`, how the server describes it.
 * @returns {Promise<View>}
 */
export async function viewOf(record) {
  const view = await api.view(record.thread_id);
  const described = new Map((view.questions ?? []).map((one) => [one.interrupt_id, one]));
  const questions = questionsOf(record).map((ask) => {
    const own = described.get(ask.id) ?? null;
    return { ...ask, view: own, schema: ask.schema ?? own?.schema ?? null };
  });
  return { ...view, questions };
}

/**
 * The open questions of a thread as `{id, value, schema, task, view}`; `view` is null here.
 */
export function questionsOf(record) {
  return Object.entries(record.interrupts ?? {}).flatMap(([task, list]) =>
    list.map((ask) => ({
      task,
      id: ask.id ?? ask.interrupt_id,
      value: ask.value,
      schema: ask.schema ?? null,
      view: null,
    })),
  );
}

/** Rows of threads. `query` is that of `/threads/search`. @returns {Promise<Row[]>} */
export async function rows(query, signal) {
  const select = ["thread_id", "status", "updated_at", "metadata", "interrupts", "view"];
  return (await api.threads({ ...query, select }, signal)).map(row);
}

/** @returns {Row} */
function row(record) {
  return {
    id: record.thread_id,
    graph: record.metadata?.graph_id ?? "",
    title: record.view?.title || "Untitled",
    subtitle: record.view?.subtitle ?? "",
    status: record.view?.outcome?.status ?? "idle",
    updated: record.updated_at,
    record,
  };
}

/** What a question asks, in a line: `{title, about, isRisky, kind}`. */
export function summaryOf(ask) {
  const asked = human(ask.value);
  const view = ask.view ?? {};
  const title = view.title ?? asked?.view?.title ?? asked?.args?.subject ?? asked?.action ?? textOf(ask.value);
  const to = asked?.view?.letter?.to.map((one) => one.email).join(", ") ?? asked?.args?.to ?? "";
  const isRisky = (view.warnings ?? asked?.view?.warnings ?? []).some(({ level = "warn" }) => level !== "info");
  const kind =
    view.kind ?? (asked?.view?.letter ? "mail" : asked?.view?.meeting ? "meeting" : asked === null ? "text" : "approval");
  return { title, about: typeof to === "string" && to !== "" ? `to ${to}` : "", isRisky, kind };
}

function textOf(value) {
  if (typeof value === "string") return value;
  const found = ["question", "query", "prompt", "message"].map((name) => value?.[name]).find((text) => typeof text === "string");
  return found ?? brief(value, 200);
}
