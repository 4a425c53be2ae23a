// Entries of a ZIP archive. Sizes are those that the archive states, and what unpacks to more is refused.

const LIMIT = 96 << 20;
const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;

/**
 * The entries by name; each is a function that unpacks its text.
 * @param {Blob} blob
 * @returns {Promise<Map<string, () => Promise<string>>>}
 */
export async function unzip(blob) {
  const bytes = new DataView(await blob.arrayBuffer());
  const end = findEnd(bytes);
  const count = bytes.getUint16(end + 10, true);
  const names = new TextDecoder();
  const entries = new Map();
  let at = bytes.getUint32(end + 16, true);
  for (let index = 0; index < count; index++) {
    if (bytes.getUint32(at, true) !== CENTRAL) throw new Error("The archive is damaged.");
    const [method, packed, size] = [bytes.getUint16(at + 10, true), bytes.getUint32(at + 20, true), bytes.getUint32(at + 24, true)];
    const [name, extra, comment, offset] = [
      bytes.getUint16(at + 28, true),
      bytes.getUint16(at + 30, true),
      bytes.getUint16(at + 32, true),
      bytes.getUint32(at + 42, true),
    ];
    const path = names.decode(new Uint8Array(bytes.buffer, at + 46, name));
    entries.set(path, () => unpack(bytes, { method, packed, size, offset, path }));
    at += 46 + name + extra + comment;
  }
  return entries;
}

function findEnd(bytes) {
  for (let at = bytes.byteLength - 22; at >= Math.max(0, bytes.byteLength - 65557); at--)
    if (bytes.getUint32(at, true) === END) return at;
  throw new Error("This is not a workbook: the file is no ZIP archive.");
}

async function unpack(bytes, { method, packed, size, offset, path }) {
  if (size > LIMIT) throw new Error(`${path} is too large to show.`);
  if (bytes.getUint32(offset, true) !== LOCAL) throw new Error("The archive is damaged.");
  const start = offset + 30 + bytes.getUint16(offset + 26, true) + bytes.getUint16(offset + 28, true);
  const part = new Uint8Array(bytes.buffer, start, packed);
  if (method === 0) return new TextDecoder().decode(part);
  if (method !== 8) throw new Error(`${path} is packed in an unknown way.`);
  const reader = new Blob([part]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const text = new TextDecoder();
  let out = "";
  let total = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return out + text.decode();
    total += value.length;
    if (total > size) throw new Error(`${path} unpacks to more than it states.`);
    out += text.decode(value, { stream: true });
  }
}
