// The first page: which assistants there are, and which threads.

import { call, NoToken, setToken } from "./api.js";
import { element } from "./dom.js";

const at = (id) => document.getElementById(id);

function showAssistants(assistants) {
  const rows = assistants.map((assistant) =>
    element(
      "li",
      {},
      element("strong", {}, assistant.name),
      " ",
      element("code", {}, assistant.graph_id),
      assistant.description ? ` ${assistant.description}` : "",
    ),
  );
  at("assistants").replaceChildren(...rows);
}

function showThreads(threads) {
  const rows = threads.map((thread) =>
    element(
      "tr",
      {},
      element("td", {}, element("code", {}, thread.thread_id)),
      element("td", {}, thread.metadata?.graph_id ?? ""),
      element("td", {}, element("span", { class: `status ${thread.status}` }, thread.status)),
      element("td", {}, element("time", { datetime: thread.updated_at }, new Date(thread.updated_at).toLocaleString())),
    ),
  );
  at("threads").replaceChildren(...rows);
  at("no-threads").hidden = rows.length > 0;
}

async function load() {
  const problem = at("problem");
  problem.hidden = true;
  try {
    const status = at("status").value;
    const [assistants, threads] = await Promise.all([
      call("POST", "/assistants/search", { limit: 100, sort_by: "graph_id", sort_order: "asc" }),
      call("POST", "/threads/search", { limit: 100, sort_by: "updated_at", status: status || undefined }),
    ]);
    showAssistants(assistants);
    showThreads(threads);
    at("token-form").hidden = true;
  } catch (error) {
    problem.textContent = error.message;
    problem.hidden = false;
    if (error instanceof NoToken) {
      at("token-form").hidden = false;
      at("token").focus();
    }
  }
}

at("status").addEventListener("change", load);
at("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  setToken(at("token").value);
  load();
});
load();
