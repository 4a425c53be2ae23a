// A form for a JSON schema, with a switch to the JSON itself. Only fields with a value are sent.

import { button, h, show } from "./dom.js";
import { uploader } from "./files.js";
import { editor } from "./json.js";

/**
 * `{element, read}`; `read()` gives `{value}`, or null after it has shown the error. `skip` names fields that are not drawn.
 * @param {any} schema
 * @param {any} start
 * @param {{skip?: string[], area?: any}} [options]
 */
export function form(schema, start, { skip = [], area = null } = {}) {
  const group = object(schema, schema, start, "", { skip, area });
  const box = h("div", { class: "form" });
  let raw = group.count === 0 && skip.length === 0 ? editor(start ?? {}, "Input as JSON") : null;
  const read = () => (raw !== null ? raw.read() : group.read());
  const toggle = button(
    "",
    () => {
      const got = read();
      if (got === null) return;
      if (raw === null) raw = editor(got.value ?? {}, "Input as JSON");
      else {
        raw = null;
        group.set(got.value);
      }
      draw();
    },
    "link",
  );
  const draw = () => {
    toggle.textContent = raw === null ? "Edit as JSON" : "Use the form";
    show(box, raw === null ? group.element : raw.element, group.count > 0 && skip.length === 0 && h("p", null, toggle));
  };
  draw();
  return { element: box, read, count: group.count };
}

/** A schema with its `$ref` followed and the `null` of an optional field left out. */
function resolve(schema, root) {
  let at = schema ?? {};
  for (let hops = 0; typeof at === "object" && at.$ref && hops < 20; hops++) {
    const target = at.$ref
      .replace(/^#\/?/, "")
      .split("/")
      .filter(Boolean)
      .reduce((value, key) => value?.[key], root);
    at = { ...target, ...Object.fromEntries(Object.entries(at).filter(([key]) => key !== "$ref")) };
  }
  const options = (at.anyOf ?? at.oneOf ?? []).filter((option) => option.type !== "null");
  if (options.length === 1) return { ...at, ...resolve(options[0], root), description: at.description ?? options[0].description };
  return at;
}

const typesOf = (schema) => [schema.type].flat().filter((type) => type !== undefined && type !== "null");
const isTexts = (schema) => typesOf(schema)[0] === "array" && typesOf(schema.items ?? {})[0] === "string";

/** The fields of an object. Advanced ones are folded, hidden ones keep what they were given. */
function object(own, root, start, path, { skip, area }) {
  const schema = resolve(own, root);
  const required = new Set(schema.required ?? []);
  const fields = [];
  const hidden = {};
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    const at = path === "" ? name : `${path}-${name}`;
    const shape = resolve(inner, root);
    const hints = [shape["x-ui"] ?? inner["x-ui"] ?? []].flat();
    if (skip.includes(at)) continue;
    if (hints.includes("hidden") || hints.includes("file-name")) hidden[name] = start?.[name];
    else
      fields.push({
        name,
        isAdvanced: hints.includes("advanced"),
        ...field(at, name, shape, root, start?.[name], { required: required.has(name), hints, skip, area }),
      });
  }
  const seen = fields.filter((one) => one.count !== 0);
  const folded = seen.filter((one) => one.isAdvanced);
  const read = () => {
    const value = Object.fromEntries(Object.entries(hidden).filter(([, inner]) => inner !== undefined));
    for (const one of fields) {
      const got = one.read();
      if (got === null) return null;
      if (got.value !== undefined) value[one.name] = got.value;
    }
    return { value: path !== "" && Object.keys(value).length === 0 ? undefined : value };
  };
  return {
    count: seen.length,
    element: [
      seen.filter((one) => !one.isAdvanced).map((one) => one.element),
      folded.length > 0 &&
        h(
          "details",
          null,
          h("summary", null, "More options"),
          folded.map((one) => one.element),
        ),
    ],
    read,
    set: (value) => fields.forEach((one) => one.set(value?.[one.name])),
  };
}

function field(path, name, schema, root, start, { required, hints, skip, area }) {
  const id = `field-${path}`;
  const [type] = typesOf(schema);
  const label = schema.title ?? name.replaceAll("_", " ").replace(/^\w/, (first) => first.toUpperCase());
  if (type === "object" && schema.properties !== undefined) {
    const group = object(schema, root, start, path, { skip, area });
    return {
      ...group,
      element: h(
        "fieldset",
        null,
        h("legend", null, label),
        schema.description && h("p", { class: "hint" }, schema.description),
        group.element,
      ),
    };
  }
  const control = controlOf(id, name, schema, type, hints, area);
  control.set(start ?? schema.default ?? undefined);
  const read = () => {
    const got = control.read();
    if (got === null || !required || got.value !== undefined) return got;
    control.input.setCustomValidity("Fill this in.");
    control.input.reportValidity();
    control.input.addEventListener("input", () => control.input.setCustomValidity(""), { once: true });
    return null;
  };
  const element = h(
    "div",
    { class: "field" },
    h("label", { for: id }, label, required && h("span", { class: "quiet" }, " (required)")),
    schema.description && h("p", { class: "hint" }, schema.description),
    control.body ?? control.input,
  );
  return { element, read, set: control.set, count: 1 };
}

function controlOf(id, name, schema, type, hints, area) {
  const choices =
    schema.enum ??
    (schema.oneOf?.every((option) => "const" in option) ? schema.oneOf.map((option) => option.const) : null) ??
    (type === "boolean" ? [true, false] : null);
  if (choices !== null && choices !== undefined) {
    const word = (choice) => (choice === true ? "Yes" : choice === false ? "No" : String(choice));
    const input = h(
      "select",
      { id },
      h("option", { value: "" }, "—"),
      choices.map((choice) => h("option", { value: JSON.stringify(choice) }, word(choice))),
    );
    return {
      input,
      read: () => ({ value: input.value === "" ? undefined : JSON.parse(input.value) }),
      set: (value) => (input.value = value === undefined || value === null ? "" : JSON.stringify(value)),
    };
  }
  if (type === "integer" || type === "number") {
    const input = h("input", { id, type: "number", step: type === "integer" ? "1" : "any" });
    const read = () =>
      input.checkValidity() ? { value: input.value === "" ? undefined : Number(input.value) } : (input.reportValidity(), null);
    return { input, read, set: (value) => (input.value = value ?? "") };
  }
  if (type === "string") {
    const isFile = hints.includes("file") || schema.format === "file";
    const isLine = isFile || hints.includes("folder") || schema.maxLength < 80;
    const placeholder = isFile
      ? "Id of an uploaded file"
      : hints.includes("folder")
        ? "A folder below the roots of the server"
        : "";
    const input = isLine
      ? h("input", { id, type: "text", placeholder })
      : h("textarea", { id, rows: hints.includes("mail") ? 10 : 2 });
    const control = {
      input,
      read: () => ({ value: input.value === "" ? undefined : input.value }),
      set: (value) => (input.value = value ?? ""),
    };
    if (!isFile) return control;
    const about = h("span", { class: "quiet small", role: "status" });
    const onfile = (file) => ((input.value = file.id), show(about, `${file.name} is uploaded.`));
    return {
      ...control,
      body: h(
        "div",
        null,
        input,
        h("div", { class: "row" }, uploader(onfile, { label: "Choose a file", id: `${id}-upload`, area }), about),
      ),
    };
  }
  if (isTexts(schema)) {
    const input = h("textarea", { id, rows: 2, placeholder: "One entry a line" });
    const entries = () => input.value.split("\n").map((line) => line.trim());
    const read = () => ({ value: entries().filter(Boolean) });
    return { input, read, set: (value) => (input.value = (value ?? []).join("\n")) };
  }
  if (name === "messages" && type === "array") {
    const input = h("textarea", { id, rows: 3, placeholder: "Your message" });
    return {
      input,
      read: () => ({ value: input.value === "" ? undefined : [{ role: "user", content: input.value }] }),
      set: (value) => (input.value = value?.[0]?.content ?? ""),
    };
  }
  const json = editor(null, name);
  Object.assign(json.field, { id, rows: 3, value: "", placeholder: type === "array" ? "[…]" : "{…}" });
  return {
    input: json.field,
    body: json.element,
    read: () => (json.field.value.trim() === "" ? { value: undefined } : json.read()),
    set: (value) => (json.field.value = value === undefined || value === null ? "" : JSON.stringify(value, null, 2)),
  };
}
