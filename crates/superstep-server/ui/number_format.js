// Numbers of cells as their format shows them: decimals, groups of thousands, percent, dates and times, and currency signs.

const BUILT_IN = {
  0: "General",
  1: "0",
  2: "0.00",
  3: "#,##0",
  4: "#,##0.00",
  9: "0%",
  10: "0.00%",
  14: "yyyy-mm-dd",
  15: "d-mmm-yy",
  16: "d-mmm",
  17: "mmm-yy",
  20: "h:mm",
  21: "h:mm:ss",
  22: "yyyy-mm-dd h:mm",
};
const DAY = 86_400_000;

const codeOf = (format) => BUILT_IN[format] ?? format;
const bare = (code) => code.replace(/"[^"]*"|\\.|\[[^\]]*\]|_.|\*./g, "");

/** Whether a format shows a date or a time. */
export const isDate = (format) => /[ymdhs]/i.test(bare(codeOf(format)).replace(/General/gi, ""));

/**
 * @param {number} value
 * @param {string} format a code, or the number of a built-in one
 */
export function formatted(value, format) {
  if (!Number.isFinite(value)) return String(value);
  const sections = codeOf(format).split(";");
  const code = value < 0 && sections.length > 1 ? sections[1] : sections[0];
  const plain = bare(code);
  if (/General/i.test(plain) || plain === "@" || plain === "") return String(Number(value.toPrecision(11)));
  if (isDate(code)) return dated(value, plain);
  const isPercent = plain.includes("%");
  const decimals = /\.([0#?]+)/.exec(plain)?.[1].length ?? 0;
  const shown = Math.abs(value) * (isPercent ? 100 : 1);
  const number = shown.toLocaleString("en", {
    minimumFractionDigits: /\.0/.test(plain) ? decimals : 0,
    maximumFractionDigits: decimals,
    useGrouping: plain.includes(","),
  });
  const sign = value < 0 && sections.length < 2 ? "-" : "";
  const [before, after] = around(code);
  return `${before}${sign}${number}${isPercent ? "%" : ""}${after}`;
}

/** Texts before and after the digits of a code: currency signs, units. */
function around(code) {
  const words = code
    .replace(/\[\$([^\]-]*)[^\]]*\]/g, '"$1"')
    .replace(/\[[^\]]*\]|_.|\*./g, "")
    .replace(/\\(.)/g, '"$1"');
  const digits = /[#0?][#0?,.]*/.exec(words.replace(/"[^"]*"/g, (text) => "\u0000".repeat(text.length)));
  if (digits === null) return ["", ""];
  const text = (part) => part.replace(/"([^"]*)"/g, "$1").replace(/%/g, "");
  return [text(words.slice(0, digits.index)), text(words.slice(digits.index + digits[0].length))];
}

function dated(value, code) {
  // Day 60 is one that never was; before it, days count from one later.
  const date = new Date(Math.round((value - 25569 + (value < 60 ? 1 : 0)) * DAY));
  const two = (number) => String(number).padStart(2, "0");
  const day = `${date.getUTCFullYear()}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`;
  const time = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}${/s/i.test(code) ? `:${two(date.getUTCSeconds())}` : ""}`;
  const hasDay = /[yd]/i.test(code);
  const hasTime = /[hs]/i.test(code);
  return [hasDay || !hasTime ? day : null, hasTime ? time : null].filter(Boolean).join(" ");
}
