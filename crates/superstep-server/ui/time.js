// Times as people read them: how long ago, with the full time in the tooltip.

import { h } from "./dom.js";

const UNITS = [
  ["year", 31536000],
  ["month", 2592000],
  ["day", 86400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

export function ago(iso) {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return h("span", null, "unknown");
  const seconds = (date.getTime() - Date.now()) / 1000;
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? UNITS[UNITS.length - 1];
  return h("time", { dateTime: iso, title: date.toLocaleString() }, relative.format(Math.round(seconds / size), unit));
}

/** The time from one moment to another: "0.3 ms", "340 ms", "2.1 s", "3 min 10 s". */
export function span(milliseconds) {
  if (!Number.isFinite(milliseconds) || milliseconds < 0) return "unknown";
  if (milliseconds > 0 && milliseconds < 10) return `${Math.max(0.1, milliseconds).toFixed(1)} ms`;
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
