// A new conversation with an agent: a message or a form, an example, and what ran before.

import { agentOf, filled, rows, schemaOf, textIn } from "./adapter.js";
import { composer } from "./composer.js";
import { chip, h, show } from "./dom.js";
import { dropDraft } from "./drafts.js";
import { form } from "./form.js";
import { inline } from "./inline.js";
import { brief } from "./json.js";
import { startWith } from "./start.js";
import { statusSign } from "./status.js";
import { ago } from "./time.js";

const EARLIER = 6;

export async function newConversation(main, [id]) {
  const agent = await agentOf(id);
  if (agent === null) throw new Error("This agent is not hosted here.");
  const [schema, earlier] = await Promise.all([
    schemaOf(agent),
    rows({ metadata: { graph_id: agent.graph }, limit: EARLIER, sort_by: "updated_at", sort_order: "desc" }),
  ]);
  const isText = agent.takes === "text" && agent.template !== null;
  const path = isText ? textPath(agent.template) : null;
  const place = fileField(schema);
  const named = nameField(schema);
  const problem = h("p", { class: "error", role: "alert", hidden: true });
  const options = form(schema, agent.example ?? undefined, {
    skip: path === null ? [] : [path, ...stateOnly(agent), ...(place === null ? [] : [place.path.join("-")])],
    area: main,
  });
  const fail = (error) => {
    problem.textContent = error.message;
    problem.hidden = false;
  };
  const begin = async (input, text) => {
    problem.hidden = true;
    await startWith(agent, input, text);
  };
  const example = agent.example === null ? null : textIn(agent.template, agent.example);
  const write = !isText
    ? null
    : composer({
        key: `new/${agent.graph}`,
        label: `Message to ${agent.title}`,
        takesFiles: place !== null,
        many: place?.isList ?? false,
        area: main,
        hints: example === null ? [] : [example],
        stop: () => undefined,
        send: async (text, files, onaccepted) => {
          const more = options.count > 0 ? options.read() : { value: {} };
          if (more === null) return;
          const own = merged(more.value ?? {}, filled(agent.template, text));
          try {
            const given = files.length === 0 || place === null ? own : withFiles(own, place, files);
            await begin(files.length === 0 || named === null ? given : merged(given, nested(named, files[0].name)), text);
            onaccepted();
          } catch (error) {
            fail(error);
          }
        },
      });
  const submit = h("button", { type: "submit", class: "primary" }, "Start");
  const onsubmit = async (event) => {
    event.preventDefault();
    const got = options.read();
    if (got === null || submit.disabled) return;
    submit.disabled = true;
    try {
      await begin(got.value ?? {}, null);
      dropDraft(`new/${agent.graph}`);
    } catch (error) {
      submit.disabled = false;
      fail(error);
    }
  };
  const more = h("details", { class: "options", open: needsFolder(schema) }, h("summary", null, "Options"), options.element);
  show(
    main,
    h(
      "header",
      { class: "bar" },
      h("h1", { tabIndex: -1 }, agent.title),
      agent.state === "rehearsal" && chip("Plays its example only", "warn"),
      agent.state === "unable" && chip("Not set up", "bad"),
    ),
    h(
      "div",
      { class: "page narrow" },
      h("p", { class: "about" }, agent.about),
      agent.needs.map(need),
      problem,
      isText
        ? [options.count > 0 && more, write.element]
        : h("form", { class: "card", onsubmit }, options.element, h("div", { class: "row" }, submit)),
      earlier.length > 0 && [h("h2", null, "Earlier conversations"), h("ul", { class: "rows" }, earlier.map(line))],
    ),
  );
  if (isText && matchMedia("(min-width: 761px)").matches) write.focus();
  return null;
}

const need = ({ what, fix }) =>
  h("div", { class: "card needs" }, h("p", null, chip(`No ${what}`, "warn")), h("p", { class: "quiet" }, inline(fix)));

const line = (row) =>
  h(
    "li",
    null,
    h(
      "a",
      { class: "line", href: `#/thread/${encodeURIComponent(row.id)}` },
      statusSign(row.status),
      h("span", { class: "title" }, brief(row.title, 90)),
    ),
    h("span", { class: "quiet when" }, ago(row.updated)),
  );

/** The place of the text in a template, as fields name it. */
function textPath(template, path = "") {
  if (template === "$text") return path;
  if (template === null || typeof template !== "object") return null;
  // A list is one field of the form.
  if (Array.isArray(template)) return JSON.stringify(template).includes('"$text"') ? path : null;
  for (const [name, part] of Object.entries(template)) {
    const found = textPath(part, path === "" ? name : `${path}-${name}`);
    if (found !== null) return found;
  }
  return null;
}

/** Fields that the template sets by itself. */
const stateOnly = (agent) =>
  Object.entries(agent.template)
    .filter(([, value]) => value === null || typeof value !== "object")
    .map(([name]) => name);

const hintsOf = (schema) => [schema?.["x-ui"] ?? []].flat();

/** The place of a schema for the name of its file, or null. */
function nameField(schema, path = []) {
  if (hintsOf(schema).includes("file-name")) return path;
  for (const [name, inner] of Object.entries(schema?.properties ?? {})) {
    const found = nameField(inner, [...path, name]);
    if (found !== null) return found;
  }
  return null;
}

/** The first place of a schema for a file, or for a list of files in place of a folder; null if there is none. */
function fileField(schema, path = [], folders = []) {
  const hints = hintsOf(schema);
  if (hints.includes("files")) return { path, isList: true, folders };
  if (hints.includes("file") || schema?.format === "file") return { path, isList: false, folders: [] };
  const fields = Object.entries(schema?.properties ?? {});
  const beside = fields.filter(([, inner]) => hintsOf(inner).includes("folder")).map(([name]) => [...path, name]);
  for (const [name, inner] of fields) {
    const found = fileField(inner, [...path, name], beside);
    if (found !== null) return found;
  }
  return null;
}

/** An input with uploaded files: the first one, or all of them in place of a folder. */
function withFiles(input, { path, isList, folders }, files) {
  const value = isList ? files.map(({ id, name }) => ({ name, sha256: id })) : files[0].id;
  const without = folders.reduce((rest, folder) => merged(rest, nested(folder, undefined)), input);
  return merged(without, nested(path, value));
}

const needsFolder = (schema) => JSON.stringify(schema ?? {}).includes('"x-ui":"folder"');
const nested = (path, value) => path.reduceRight((within, name) => ({ [name]: within }), value);

/** Two inputs in one; the second one counts where both have a value. */
function merged(one, other) {
  if (one === null || other === null || typeof one !== "object" || typeof other !== "object" || Array.isArray(other)) return other;
  return Object.fromEntries(
    [...new Set([...Object.keys(one), ...Object.keys(other)])].map((name) => [
      name,
      !(name in other) ? one[name] : name in one ? merged(one[name], other[name]) : other[name],
    ]),
  );
}
