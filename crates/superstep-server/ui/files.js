// Files of runs: uploads that an input names, and results that are downloaded.

import { api } from "./api.js";
import { button, h, say, show } from "./dom.js";

const HASH = /^[0-9a-f]{64}$/;
const UNITS = ["bytes", "KB", "MB", "GB"];
const LIMIT = 64 << 20;

/** Whether a text names a file. */
export const isHash = (value) => typeof value === "string" && HASH.test(value);

/** A size as people read it. */
export function sizeOf(bytes) {
  let [size, unit] = [bytes, 0];
  while (size >= 1000 && unit < UNITS.length - 1) [size, unit] = [size / 1000, unit + 1];
  return `${unit === 0 ? size : size.toFixed(1)} ${UNITS[unit]}`;
}

/** Saves bytes under a name. */
export function saveAs(name, blob) {
  const address = URL.createObjectURL(blob);
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Saves a file of the server under a name. */
export async function save(hash, name) {
  try {
    saveAs(name, await api.download(hash));
  } catch (error) {
    say(error.status === 404 ? "The server does not have this file any more." : error.message, "error");
  }
}

/** A button that downloads a file. */
export const download = (hash, name = hash.slice(0, 12), label = "Download") => button(label, () => save(hash, name), "link");

/** A file of a result. */
export function fileCard({ name, about, size, path, sha256 }) {
  const facts = [about, size === null || size === undefined ? null : sizeOf(size)].filter(Boolean).join(" · ");
  return h(
    "div",
    { class: "file" },
    h("span", { class: "sheet", "aria-hidden": "true" }, (name.split(".").pop() ?? "").slice(0, 4)),
    h(
      "div",
      { class: "about" },
      h("strong", null, name),
      facts !== "" && h("span", { class: "quiet small" }, facts),
      path && h("code", { class: "small" }, path),
    ),
    isHash(sha256) &&
      button("Download", () => save(sha256, name), "", { "aria-label": `Download ${name}` }),
  );
}

/**
 * A field that takes files by choosing or dropping; `onfile({id, name, size})` gets each once the server has it.
 * `area` is the element on which files can be dropped; of several files the first is taken, or with `many` each.
 */
export function uploader(onfile, { area = null, label = "Attach a file", id = null, many = false } = {}) {
  const about = h("span", { class: "quiet small", role: "status" });
  const take = async (file) => {
    if (file === undefined) return;
    if (file.size > LIMIT) return say(`${file.name} has ${sizeOf(file.size)}. The limit is ${sizeOf(LIMIT)}.`, "error");
    show(about, `Uploading ${file.name}…`);
    try {
      const kept = await api.upload(file);
      show(about, "");
      onfile({ id: kept.file_id, name: file.name, size: kept.bytes });
    } catch (error) {
      show(about, "");
      say(error.status === 404 ? "This server stores no files." : error.message, "error");
    }
  };
  const takeAll = async (files) => {
    for (const file of [...files].slice(0, many ? undefined : 1)) await take(file);
  };
  const onchange = () => takeAll(input.files);
  const input = h("input", { type: "file", id, class: "hidden-file", "aria-label": label, multiple: many, onchange });
  const element = h("span", { class: "uploader" }, h("label", { class: "button" }, input, label), about);
  if (area !== null) {
    const over = (event) => {
      if (![...(event.dataTransfer?.types ?? [])].includes("Files")) return;
      event.preventDefault();
      area.classList.toggle("dropping", event.type !== "dragleave" && event.type !== "drop");
      if (event.type === "drop") takeAll(event.dataTransfer.files);
    };
    for (const name of ["dragenter", "dragover", "dragleave", "drop"]) area.addEventListener(name, over);
  }
  return element;
}
