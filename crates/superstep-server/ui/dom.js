// Builds elements. Data only ever becomes text: nothing here, or anywhere in the UI, parses HTML.

/** @typedef {Node | string | number | null | undefined | false | Child[]} Child */

/**
 * An element with properties and children. `class`, `data-*`, `aria-*` and other names with a hyphen become attributes,
 * `on…` functions become listeners, everything else a property. Children that are null or false are left out.
 * @param {string} tag
 * @param {Record<string, any> | null} [props]
 * @param {...Child} children
 * @returns {any}
 */
export function h(tag, props, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else if (name.includes("-") || name === "for" || name === "role" || name === "list") element.setAttribute(name, value);
    else element[name] = value;
  }
  append(element, children);
  return element;
}

/**
 * The same for SVG, where every property is an attribute.
 * @param {string} tag
 * @param {Record<string, any> | null} [attributes]
 * @param {...Child} children
 * @returns {any}
 */
export function svg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value);
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/** Replaces the content of an element. */
export function show(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

/** A button. `kind` is `primary`, `danger`, `link` or empty; the second press of a double click does nothing. */
export function button(label, onclick, kind = "", props = {}) {
  return h("button", { type: "button", class: kind, onclick: (event) => event.detail > 1 || onclick(event), ...props }, label);
}

/** A short word about a state. `kind` is `good`, `warn`, `bad`, `busy` or empty. */
export const chip = (text, kind = "") => h("span", { class: `chip ${kind}` }, text);

/** Opens a dialog; resolves with the value of the button that closed it, or null. */
export function dialog(title, body, buttons) {
  return new Promise((resolve) => {
    const box = h(
      "dialog",
      { "aria-label": title },
      h("h2", null, title),
      body,
      h(
        "div",
        { class: "row end" },
        buttons.map(({ label, value, kind }) => button(label, () => box.close(value), kind ?? "")),
      ),
    );
    box.addEventListener("close", () => {
      box.remove();
      resolve(box.returnValue === "" ? null : box.returnValue);
    });
    document.body.append(box);
    box.showModal();
  });
}

/** Asks before something is lost. */
export async function confirmed(title, text, label) {
  const buttons = [
    { label: "Keep it", value: "" },
    { label, value: "yes", kind: "danger" },
  ];
  return (await dialog(title, h("p", null, text), buttons)) === "yes";
}

/** Shows a line at the foot of the page for some seconds; errors stay until they are dismissed or the screen changes. */
export function say(text, kind = "info") {
  const line = h(
    "div",
    { class: `message ${kind}` },
    h("span", null, text),
    button("×", () => line.remove(), "", { "aria-label": "Dismiss" }),
  );
  document.getElementById("messages").append(line);
  if (kind !== "error") setTimeout(() => line.remove(), 6000);
  return line;
}
