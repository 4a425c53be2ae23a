// As much of a document as the modules of the pages need outside of a browser: elements, texts, and a walk over texts.

class FakeNode {
  parentElement = null;

  replaceWith(...nodes) {
    const list = this.parentElement.childNodes;
    list.splice(list.indexOf(this), 1, ...nodes.map((node) => adopted(node, this.parentElement)));
  }
}

class FakeText extends FakeNode {
  constructor(data) {
    super();
    this.data = data;
  }

  get textContent() {
    return this.data;
  }
}

class FakeElement extends FakeNode {
  childNodes = [];
  attributes = {};
  listeners = {};

  constructor(tag) {
    super();
    this.tagName = tag.toUpperCase();
  }

  append(...nodes) {
    this.childNodes.push(...nodes.map((node) => adopted(node, this)));
  }

  replaceChildren(...nodes) {
    this.childNodes = [];
    this.append(...nodes);
  }

  setAttribute(name, value) {
    this.attributes[name] = value;
  }

  getAttribute(name) {
    return this.attributes[name] ?? null;
  }

  /** Elements with an attribute, by `[name]`. */
  querySelectorAll(selector) {
    const below = this.childNodes.filter((node) => node instanceof FakeElement);
    const has = (node) => node.getAttribute(selector.slice(1, -1)) !== null;
    return below.flatMap((node) => [...(has(node) ? [node] : []), ...node.querySelectorAll(selector)]);
  }

  addEventListener(name, act) {
    this.listeners[name] = act;
  }

  closest(selector) {
    const tags = selector.toUpperCase().split(/,\s*/);
    return tags.includes(this.tagName) ? this : (this.parentElement?.closest(selector) ?? null);
  }

  get textContent() {
    return this.childNodes.map((node) => node.textContent).join("");
  }

  /** All elements below with this tag. */
  all(tag) {
    const below = this.childNodes.filter((node) => node instanceof FakeElement);
    return below.flatMap((node) => [...(node.tagName === tag.toUpperCase() ? [node] : []), ...node.all(tag)]);
  }
}

function adopted(node, parent) {
  const own = node instanceof FakeNode ? node : new FakeText(String(node));
  own.parentElement = parent;
  return own;
}

function textsOf(node) {
  return node instanceof FakeText ? [node] : node.childNodes.flatMap(textsOf);
}

const stored = new Map();

Object.assign(globalThis, {
  Node: FakeNode,
  NodeFilter: { SHOW_TEXT: 4 },
  document: {
    createElement: (tag) => new FakeElement(tag),
    createElementNS: (_, tag) => new FakeElement(tag),
    createTreeWalker: (root) => {
      const texts = textsOf(root);
      return { currentNode: root, nextNode() { return (this.currentNode = texts.shift() ?? null) !== null; } };
    },
    addEventListener: () => undefined,
    dispatchEvent: () => true,
  },
  sessionStorage: {
    getItem: (key) => stored.get(key) ?? null,
    setItem: (key, value) => stored.set(key, value),
    removeItem: (key) => stored.delete(key),
  },
});
