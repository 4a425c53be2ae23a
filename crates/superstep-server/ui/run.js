// A new run: the input as the graph's schema wants it, then its thread.

import { api } from "./api.js";
import { h, say, show } from "./dom.js";
import { chooser, withFile } from "./files.js";
import { form } from "./form.js";
import { draw } from "./graph.js";
import { brief } from "./json.js";

const KEPT = 5;

export async function run(main, [assistant]) {
  const [schemas, graph, assistants, keepsFiles] = await Promise.all([api.schemas(assistant), api.graph(assistant), api.assistants(), api.keepsFiles()]);
  const record = assistants.find((one) => one.assistant_id === assistant);
  const earlier = previous(assistant);
  const place = h("div");
  const first = earlier[0] ?? record?.metadata?.example_input;
  let input = form(schemas.input_schema ?? {}, first);
  const use = (value) => {
    input = form(schemas.input_schema ?? {}, value);
    show(place, input.element);
  };
  use(first);
  // The id of what was uploaded goes where the input has a place for one.
  const uploaded = (id) => {
    const got = input.read();
    const filled = got === null ? null : withFile(got.value, id);
    if (filled === null) say(`The input has no place for a file. Its id is ${id}`);
    else use(filled);
  };
  const start = h("button", { type: "submit", class: "primary" }, "Run");
  const problem = h("p", { class: "error", role: "alert", hidden: true });
  const submit = async (event) => {
    event.preventDefault();
    const got = input.read();
    if (got === null) return;
    start.disabled = true;
    problem.hidden = true;
    try {
      const thread = await api.newThread({ graph_id: record?.graph_id ?? assistant });
      keep(assistant, got.value);
      sessionStorage.setItem(`start:${thread.thread_id}`, JSON.stringify({ assistant_id: assistant, input: got.value }));
      location.hash = `#/thread/${thread.thread_id}`;
    } catch (error) {
      problem.textContent = error.message;
      problem.hidden = false;
      start.disabled = false;
    }
  };
  show(
    main,
    h("h1", null, `Run ${record?.name ?? assistant}`),
    (record?.description ?? record?.metadata?.description) && h("p", null, record.description ?? record.metadata.description),
    h(
      "div",
      { class: "split" },
      h(
        "form",
        { onsubmit: submit },
        earlier.length > 0 &&
          h(
            "label",
            null,
            "Earlier inputs",
            h(
              "select",
              { onchange: (event) => use(event.target.value === "" ? undefined : earlier[Number(event.target.value)]) },
              h("option", { value: "" }, "empty"),
              earlier.map((value, index) => h("option", { value: String(index), selected: index === 0 }, brief(value, 60))),
            ),
          ),
        place,
        keepsFiles && h("div", { class: "field" }, h("label", { for: "upload" }, "A file for the run"), chooser("upload", uploaded)),
        problem,
        h("div", { class: "row" }, start),
      ),
      h("section", { "aria-label": "Graph" }, h("h2", null, "Graph"), draw(graph)),
    ),
  );
}

const key = (assistant) => `inputs:${assistant}`;

/** Inputs are kept in this tab only: they may hold mail or documents. */
function previous(assistant) {
  try {
    const kept = JSON.parse(sessionStorage.getItem(key(assistant)) ?? "[]");
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}

function keep(assistant, value) {
  const text = JSON.stringify(value);
  const rest = previous(assistant).filter((other) => JSON.stringify(other) !== text);
  sessionStorage.setItem(key(assistant), JSON.stringify([value, ...rest].slice(0, KEPT)));
}
