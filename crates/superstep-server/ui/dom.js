// Elements with text: data is never read as markup.

/** An element with attributes and children; strings become text. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, value);
  }
  made.append(...children.map((child) => (child instanceof Node ? child : String(child ?? ""))));
  return made;
}
