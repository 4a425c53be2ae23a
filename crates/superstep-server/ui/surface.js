// What stands beside a conversation because its thread holds it: a workbook, pages of documentation, or documents that were read.

import { documents, hasDocuments } from "./documents.js";
import { button, h, show } from "./dom.js";

/** Agents wrote pages, or a run without a model wrote them of facts alone. */
const hasPages = ({ results, outcome }) =>
  Object.values(results ?? {}).some((result) => typeof result?.markdown === "string") ||
  (Array.isArray(outcome?.files) && outcome.files.some((name) => String(name).endsWith(".md")));

const KINDS = [
  {
    label: "Workbook",
    fits: (values) => /^[0-9a-f]{64}$/.test(values.version ?? "") && values.problem !== undefined,
    open: async () => (await import("./workbook.js")).workbook(),
  },
  {
    label: "Pages",
    cites: true,
    fits: hasPages,
    open: async () => (await import("./pages.js")).pages(),
  },
  { label: "Documents", isSlim: true, cites: true, fits: hasDocuments, open: async () => documents() },
];

/** The surface of a thread. `label()` is null if it has none; `update(place)` shows it as the thread is now. */
export function surfaceOf(record) {
  let kind = null;
  let shown = null;
  const surface = {
    /** Whether citations in the conversation name texts of its thread. */
    cites: () => KINDS.find(({ fits }) => fits(record().values ?? {}))?.cites === true,
    label: () => KINDS.find(({ fits }) => fits(record().values ?? {}))?.label ?? null,
    update(place) {
      const wanted = KINDS.find(({ fits }) => fits(record().values ?? {})) ?? null;
      if (wanted !== kind) {
        kind = wanted;
        shown = wanted?.open() ?? null;
        show(place, h("p", { class: "quiet loading" }, wanted === null ? "" : "Loading…"));
        const mine = shown;
        mine
          ?.then((made) => mine === shown && show(place, made.element))
          .catch((error) => mine === shown && failed(place, error));
      }
      shown?.then((made) => made.update(record())).catch(() => undefined);
    },
    /** Whether it needs little room. */
    isSlim: () => kind?.isSlim === true,
    stop: () => (shown = null),
  };
  /** The module could not be loaded, as from a server that is away: it is tried again once the server answers. */
  const failed = (place, error) => {
    const again = () => {
      if (shown !== null) return;
      kind = null;
      surface.update(place);
    };
    shown = null;
    show(place, h("p", { class: "error loading" }, error.message), button("Try again", again));
    const onconnection = (/** @type {any} */ { detail: isUp }) => {
      if (!isUp) return;
      document.removeEventListener("connection", onconnection);
      if (place.isConnected) again();
    };
    document.addEventListener("connection", onconnection);
  };
  return surface;
}
