// Builds elements. Data only ever becomes text: nothing here, or anywhere in the UI, parses HTML.

/**
 * An element with properties and children. `class`, `data-*`, `aria-*` and other names with a hyphen become attributes,
 * `on…` functions become listeners, everything else a property. Children that are null or false are left out.
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

/** The same for SVG, where every property is an attribute. */
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

/** Puts children in the place of what an element shows. */
export function show(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

/** Asks with a dialog and gives the value of the button that closed it, or null. */
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
        buttons.map(({ label, value, kind }) =>
          h("button", { type: "button", class: kind ?? "", onclick: () => box.close(value) }, label),
        ),
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

/** A line at the foot of the page for some seconds; errors stay until they are dismissed. */
export function say(text, kind = "info") {
  const messages = document.getElementById("messages");
  const line = h(
    "div",
    { class: `message ${kind}` },
    h("span", null, text),
    h("button", { type: "button", "aria-label": "Dismiss", onclick: () => line.remove() }, "×"),
  );
  messages.append(line);
  if (kind !== "error") setTimeout(() => line.remove(), 6000);
  return line;
}
