// Files of runs: one is uploaded and named in the input, one that a graph made is downloaded.

import { api } from "./api.js";
import { h, say, show } from "./dom.js";

/** What inputs call a file. */
const NAMES = ["workbook", "file", "file_id", "document"];

const HASH = /^[0-9a-f]{64}$/;

/** Whether a text names a file. */
export const isHash = (value) => typeof value === "string" && HASH.test(value);

/** A field that uploads a file and passes its id to `onfile(id, name)`. */
export function chooser(id, onfile) {
  const about = h("span", { class: "quiet", role: "status" });
  const input = h("input", {
    id,
    type: "file",
    onchange: async () => {
      const [file] = input.files;
      if (file === undefined) return;
      show(about, `Uploading ${file.name}…`);
      try {
        const kept = await api.upload(file);
        onfile(kept.file_id, file.name);
        show(about, `${file.name}, ${kept.bytes} bytes, is uploaded as `, h("code", null, kept.file_id.slice(0, 12), "…"));
      } catch (error) {
        show(about, "");
        say(error.message, "error");
      }
    },
  });
  return h("div", { class: "row" }, input, about);
}

/** The value with a file in the first place that is meant for one, or null if there is none. */
export function withFile(value, id) {
  if (value === null || typeof value !== "object") return null;
  for (const [name, inner] of Object.entries(value)) {
    const isPlace = NAMES.includes(name) && (inner === "" || inner === null || isHash(inner));
    const put = isPlace ? id : withFile(inner, id);
    if (put !== null) return Array.isArray(value) ? value.with(Number(name), put) : { ...value, [name]: put };
  }
  return null;
}

/** A button that downloads what a graph made. */
export function download(hash) {
  const get = async () => {
    try {
      const address = URL.createObjectURL(await api.download(hash));
      const link = h("a", { href: address, download: hash.slice(0, 12) });
      link.click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
    } catch (error) {
      say(error.status === 404 ? "The server has no file of that hash." : error.message, "error");
    }
  };
  return h("button", { type: "button", class: "link", onclick: get }, "Download");
}
