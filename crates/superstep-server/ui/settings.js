// Settings of the server, for its operator: the model, keys of providers, local models, and what the server was started with.

import { api } from "./api.js";
import { button, chip, confirmed, h, say, show } from "./dom.js";

const PAUSE = 500;
const TRIES = 120;
const pause = () => new Promise((done) => setTimeout(done, PAUSE));
const megabytes = (bytes) => `${(bytes / 1e6).toLocaleString("en", { maximumFractionDigits: 0 })} MB`;

/** @param {HTMLElement} main */
export async function settings(main) {
  let now = await api.settings();
  let isChanged = false;
  let isOver = false;
  const notice = h("div", { role: "status" });
  const model = h("section", { class: "card list", "aria-label": "Model" });
  const keys = h("section", { class: "card list", "aria-label": "Keys" });
  const local = h("section", { class: "card list", "aria-label": "Models on this machine" });
  const about = h("section", { class: "card list", "aria-label": "This server" });
  show(
    main,
    h("header", { class: "bar" }, h("h1", { tabIndex: -1 }, "Settings")),
    h("div", { class: "page narrow" }, notice, model, keys, local, about),
  );
  /** Does what a button says, and shows what became of it. */
  const act = (work, done) => async (event) => {
    const pressed = event?.currentTarget;
    if (pressed) pressed.disabled = true;
    try {
      if ((await work()) === false) return;
      if (done) say(done);
      isChanged = true;
      await refresh();
    } catch (error) {
      say(error.message, "error");
    } finally {
      if (pressed) pressed.disabled = false;
    }
  };
  const drawNotice = () =>
    show(
      notice,
      !now.can_change &&
        h("p", { class: "offline" }, "Settings are changed in a browser on the server's own machine, and shown here."),
      isChanged &&
        h(
          "div",
          { class: "card list row" },
          h("span", { class: "line" }, "The server uses the changes after a restart. Runs continue after it."),
          button("Restart now", restart, "primary"),
        ),
    );
  const draw = () => {
    drawNotice();
    show(model, ...modelCard(now, act));
    // What is being typed stays.
    if (!keys.contains(document.activeElement) || document.activeElement.localName !== "input") show(keys, ...keysCard(now, act));
    show(local, ...localCard(now, act));
    show(about, ...aboutCard(now));
  };
  const refresh = async () => {
    now = await api.settings();
    if (!isOver) draw();
    watchDownload();
  };
  let timer = null;
  const watchDownload = () => {
    clearTimeout(timer);
    const { download } = now;
    if (isOver || download === null || download.is_done || download.error !== null) return;
    timer = setTimeout(() => refresh().catch(() => watchDownload()), PAUSE * 2);
  };
  draw();
  watchDownload();
  return {
    stop() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

/** Restarts the server, and loads the page again once it answers. */
async function restart(event) {
  event.currentTarget.disabled = true;
  event.currentTarget.textContent = "Restarting…";
  try {
    await api.restart();
  } catch (error) {
    return void say(error.message, "error");
  }
  let wasAway = false;
  for (let tries = 0; tries < TRIES; tries++) {
    await pause();
    const isUp = await fetch("/ok").then(
      (response) => response.ok,
      () => false,
    );
    wasAway ||= !isUp;
    if (isUp && (wasAway || tries > 8)) return location.reload();
  }
  say("The server does not come back. Look at the terminal in which it runs.", "error");
}

function modelCard(now, act) {
  const field = h("input", { id: "model", list: "models", spellcheck: false, autocomplete: "off", disabled: !now.can_change });
  field.value = now.model?.name ?? "";
  const ready = [...now.models.filter((one) => one.is_ready).map((one) => one.name), ...now.ollama];
  const set = act(async () => {
    if (field.value.trim() === "") return false;
    await api.setModel(field.value.trim());
  }, "The model is stored.");
  const isFixed = now.model?.is_fixed === true;
  return [
    h("h2", null, "Model"),
    h(
      "p",
      { class: "quiet" },
      now.model === null
        ? "No model is set: the server takes the first provider with a key, or a model of this machine."
        : ["Set by ", h("code", null, now.model.origin), isFixed && ", which counts more than what is stored here", "."],
      now.is_offline && " The server is offline: only models of this machine are used.",
    ),
    h("label", { for: "model" }, "Provider, or provider and model"),
    h("div", { class: "row" }, field, button("Use it", set, "primary", { disabled: !now.can_change })),
    h("datalist", { id: "models" }, ready.map((value) => h("option", { value }))),
    h("p", { class: "hint" }, "For example ", h("code", null, "anthropic"), " or ", h("code", null, "ollama:qwen3:8b"), "."),
  ];
}

const PLACES = { file: "stored", environment: "from the environment", command: "from a command" };

function keysCard(now, act) {
  const line = ({ provider, env, place }) => {
    const field = h("input", {
      type: "password",
      autocomplete: "off",
      placeholder: place === null ? "Key" : "New key",
      "aria-label": `Key of ${provider}`,
    });
    const store = act(async () => {
      if (field.value.trim() === "") return false;
      await api.setKey(provider, field.value.trim());
      field.value = "";
      field.blur();
    }, `The key of ${provider} is stored.`);
    const remove = act(async () => {
      const text = "Its file is deleted. Agents that use this provider need another key.";
      if (!(await confirmed(`Delete the key of ${provider}?`, text, "Delete"))) return false;
      await api.removeKey(provider);
    }, `The key of ${provider} is deleted.`);
    const canStore = now.can_change && place !== "command";
    field.addEventListener("keydown", (event) => event.key === "Enter" && store(undefined));
    return h(
      "li",
      null,
      h(
        "span",
        { class: "line" },
        h("strong", { class: "title" }, provider),
        place === null ? h("span", { class: "quiet" }, "no key") : chip(PLACES[place], "good"),
        place === "environment" && h("code", null, env),
      ),
      canStore && field,
      canStore && button("Store", store, "", { "aria-label": `Store the key of ${provider}` }),
      now.can_change && place === "file" && button("Delete", remove, "link danger", { "aria-label": `Delete the key of ${provider}` }),
    );
  };
  return [
    h("h2", null, "Keys"),
    h(
      "p",
      { class: "quiet" },
      "A key is checked with its provider, stored in a file that only you can read, and not shown again.",
    ),
    h("ul", { class: "rows" }, now.keys.map(line)),
  ];
}

function localCard(now, act) {
  const use = (name) => button("Use it", act(() => api.setModel(name), "The model is stored."), "link", { "aria-label": `Use ${name}` });
  const ollama = now.models.find((one) => one.name === "ollama");
  const weights = now.models.filter((one) => one.name.startsWith("local:"));
  const { download } = now;
  const isUnderWay = download !== null && !download.is_done && download.error === null;
  const line = ({ name, is_ready: isReady, state, about }) => {
    const key = name.replace("local:", "");
    const isThis = download?.name === key;
    const pull = act(() => api.pull(key));
    return h(
      "li",
      null,
      h("span", { class: "line wraps" }, h("strong", { class: "title" }, name), h("span", { class: "quiet" }, about)),
      isThis && isUnderWay ? progress(download) : chip(isReady ? "downloaded" : state, isReady ? "good" : ""),
      isThis && download.error !== null && h("p", { class: "error small" }, download.error),
      now.can_change && isReady && use(name),
      now.can_change && !isReady && !(isThis && isUnderWay) && button("Download", pull, "", { disabled: isUnderWay || now.is_offline }),
    );
  };
  return [
    h("h2", null, "Models on this machine"),
    h(
      "ul",
      { class: "rows" },
      now.ollama.map((name) => h("li", null, h("span", { class: "line" }, h("strong", null, name)), now.can_change && use(name))),
      ollama !== undefined && now.ollama.length === 0
        ? h(
            "li",
            null,
            h("span", { class: "line wraps" }, h("strong", null, "Ollama"), h("span", { class: "quiet" }, ollama.about)),
            chip(now.is_offline || ollama.state === "not asked" ? "not asked" : "not found"),
          )
        : null,
      weights.map(line),
    ),
    weights.length === 0 && h("p", { class: "quiet" }, "This program was built without the local model."),
  ];
}

function progress({ name, done, total }) {
  const words = total === null ? megabytes(done) : `${megabytes(done)} of ${megabytes(total)}`;
  return h(
    "span",
    { class: "row small" },
    h("progress", { max: total ?? 1, value: total === null ? 0 : done, "aria-label": `Download of ${name}` }),
    words,
  );
}

function aboutCard(now) {
  const list = (values, none) => (values.length === 0 ? none : values.map((value) => h("code", null, value)));
  const { project } = now;
  const facts = [
    ["Folders that agents may read", list(now.roots, "none")],
    ["Owners", now.owners.length === 0 ? "none: everybody who may call this server sees everything" : now.owners.join(", ")],
    now.owners.length > 0 && ["Agents for owners", now.shared.length === 0 ? "those without an account" : now.shared.join(", ")],
    project !== null && [
      "Settings of the project",
      [h("code", null, project.file), chip(project.state, project.is_in_force ? "good" : "warn")],
    ],
    now.settings_file !== null && ["Your settings", h("code", null, now.settings_file)],
    ["Database", h("code", null, now.database)],
  ];
  return [
    h("h2", null, "This server"),
    h("dl", { class: "facts" }, facts.filter(Boolean).map(([name, value]) => [h("dt", null, name), h("dd", null, value)])),
    h(
      "p",
      { class: "hint" },
      "Folders, owners and trust are set where the server is started: ",
      h("code", null, "superstep serve --root … --owners …"),
      " and ",
      h("code", null, "superstep trust"),
      ".",
    ),
  ];
}
