// A form for a JSON schema, with a switch to the JSON itself. Only what a person filled in is sent.

import { h, show } from "./dom.js";
import { chooser } from "./files.js";
import { editor } from "./json.js";

/** `{element, read}`; `read()` gives `{value}`, or null after it has shown what is wrong. */
export function form(schema, start) {
  const properties = resolve(schema, schema).properties ?? {};
  const fields = Object.entries(properties).map(([name, own]) => field(name, resolve(own, schema), schema, start?.[name]));
  const required = new Set(resolve(schema, schema).required ?? []);
  const box = h("div", { class: "form" });
  let raw = fields.length === 0 ? editor(start ?? {}, "Input as JSON") : null;

  const read = () => {
    if (raw !== null) return raw.read();
    const value = {};
    for (const { name, read } of fields) {
      const got = read();
      if (got === null) return null;
      if (got.value !== undefined) value[name] = got.value;
    }
    return { value };
  };
  const toggle = h("button", { type: "button", class: "link" }, "");
  const draw = () => {
    toggle.textContent = raw === null ? "Edit as JSON" : "Use the form";
    show(
      box,
      raw === null ? fields.map((one) => one.element(required.has(one.name))) : raw.element,
      fields.length > 0 && h("p", null, toggle),
    );
  };
  toggle.addEventListener("click", () => {
    const got = read();
    if (got === null) return;
    if (raw === null) raw = editor(got.value, "Input as JSON");
    else {
      raw = null;
      for (const one of fields) one.set(got.value?.[one.name]);
    }
    draw();
  });
  draw();
  return { element: box, read };
}

/** A schema with its `$ref` followed and the `null` of an optional field left out. */
function resolve(schema, root) {
  let at = schema ?? {};
  for (let hops = 0; typeof at === "object" && at.$ref && hops < 20; hops++) {
    const target = at.$ref.replace(/^#\/?/, "").split("/").filter(Boolean).reduce((value, key) => value?.[key], root);
    at = { ...target, ...Object.fromEntries(Object.entries(at).filter(([key]) => key !== "$ref")) };
  }
  const options = (at.anyOf ?? at.oneOf ?? []).filter((option) => option.type !== "null");
  if (options.length === 1) return { ...at, ...resolve(options[0], root), description: at.description ?? options[0].description };
  return at;
}

const types = (schema) => [schema.type].flat().filter((type) => type !== undefined && type !== "null");

function field(name, schema, root, start) {
  const id = `field-${name}`;
  const [type] = types(schema);
  const choices = schema.enum ?? (schema.oneOf?.every((option) => "const" in option) ? schema.oneOf.map((option) => option.const) : null);
  let input;
  let read;
  let set;
  if (choices !== null && choices !== undefined) {
    input = h("select", { id }, h("option", { value: "" }, "—"), choices.map((choice) => h("option", { value: JSON.stringify(choice) }, String(choice))));
    read = () => ({ value: input.value === "" ? undefined : JSON.parse(input.value) });
    set = (value) => (input.value = value === undefined ? "" : JSON.stringify(value));
  } else if (type === "boolean") {
    input = h("select", { id }, h("option", { value: "" }, "—"), h("option", { value: "true" }, "yes"), h("option", { value: "false" }, "no"));
    read = () => ({ value: input.value === "" ? undefined : input.value === "true" });
    set = (value) => (input.value = value === undefined || value === null ? "" : String(value));
  } else if (type === "integer" || type === "number") {
    input = h("input", { id, type: "number", step: type === "integer" ? "1" : "any" });
    read = () => {
      if (!input.checkValidity()) return (input.reportValidity(), null);
      return { value: input.value === "" ? undefined : Number(input.value) };
    };
    set = (value) => (input.value = value ?? "");
  } else if (type === "string" && schema.format === "file") {
    input = h("input", { id, type: "text", placeholder: "the id of a file" });
    const body = h("div", null, input, chooser(`${id}-upload`, (file) => (input.value = file)));
    read = () => ({ value: input.value === "" ? undefined : input.value });
    set = (value) => (input.value = value ?? "");
    set(start ?? undefined);
    return { name, read, set, element: (required) => labeled(name, id, schema, required, body) };
  } else if (type === "string") {
    input = h("textarea", { id, rows: 2 });
    read = () => ({ value: input.value === "" ? undefined : input.value });
    set = (value) => (input.value = value ?? "");
  } else if (isMessages(name, schema, root)) {
    input = h("textarea", { id, rows: 3, placeholder: "Your message" });
    read = () => ({ value: input.value === "" ? undefined : [{ role: "user", content: input.value }] });
    set = (value) => (input.value = value?.[0]?.content ?? "");
  } else {
    const json = editor(null, name);
    input = json.field;
    input.id = id;
    input.rows = 3;
    input.value = "";
    input.placeholder = type === "array" ? "[…]" : "{…}";
    const body = json.element;
    read = () => (input.value.trim() === "" ? { value: undefined } : json.read());
    set = (value) => (input.value = value === undefined || value === null ? "" : JSON.stringify(value, null, 2));
    if (start !== undefined) set(start);
    return { name, read, set, element: (required) => labeled(name, id, schema, required, body) };
  }
  set(start ?? schema.default ?? undefined);
  return { name, read, set, element: (required) => labeled(name, id, schema, required, input) };
}

function isMessages(name, schema, root) {
  const item = resolve(schema.items ?? {}, root);
  return name === "messages" && types(schema).includes("array") && typeof item === "object";
}

function labeled(name, id, schema, required, input) {
  return h(
    "div",
    { class: "field" },
    h("label", { for: id }, schema.title ?? name.replaceAll("_", " "), required && h("span", { class: "quiet" }, " (required)")),
    schema.description && h("p", { class: "hint" }, schema.description),
    input,
  );
}
