// Times as people read them: how long ago, with the full time in the tooltip.

import { h } from "./dom.js";

/** @type {[Intl.RelativeTimeFormatUnit, number, string][]} */
const UNITS = [
  ["year", 31536000, "y"],
  ["month", 2592000, "mo"],
  ["day", 86400, "d"],
  ["hour", 3600, "h"],
  ["minute", 60, "min"],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** How long ago; `isShort` for narrow lists. */
export function ago(iso, isShort = false) {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return h("span", null, "unknown");
  const seconds = (date.getTime() - Date.now()) / 1000;
  const found = UNITS.find(([, size]) => Math.abs(seconds) >= size);
  const count = found === undefined ? 0 : Math.round(seconds / found[1]);
  const text =
    found === undefined
      ? isShort
        ? "now"
        : "just now"
      : isShort
        ? `${Math.abs(count)} ${found[2]}`
        : relative.format(count, found[0]);
  return h("time", { dateTime: iso, title: date.toLocaleString() }, text);
}

/** A duration: "0.3 ms", "340 ms", "2.1 s", "3 min 10 s". */
export function span(milliseconds) {
  if (!Number.isFinite(milliseconds) || milliseconds < 0) return "unknown";
  if (milliseconds > 0 && milliseconds < 10) return `${Math.max(0.1, milliseconds).toFixed(1)} ms`;
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
