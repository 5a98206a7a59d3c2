// Unpacks a run from the page: base64, deflate, the mark, the checksum, the header, the columns. `data.py` describes the format.

const MARK = "WLR";
const COLUMN_KINDS = { small: Int32Array, large: Float64Array };

/** The run in a text: {program, machine, run, activities, events, signals, tables, arrays}. Throws an Error whose message a reader understands. */
export async function readRun(text, version) {
  let bytes;
  try {
    const letters = atob(text.trim()),
      packed = new Uint8Array(letters.length);
    for (let at = 0; at < letters.length; at++) packed[at] = letters.charCodeAt(at);
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  } catch {
    throw new Error("The run in this page cannot be unpacked: the file is damaged or cut off. Write it again with `warploom explore`.");
  }
  const words = new DataView(bytes.buffer);
  const mark = String.fromCharCode(...bytes.subarray(0, 4));
  if (mark.slice(0, 3) !== MARK) throw new Error("The data in this page are not a run of warploom.");
  if (mark.slice(3) !== String(version))
    throw new Error(
      `The run in this page is in version ${mark.slice(3)} of its format, and the page reads version ${version}. Write it again.`,
    );
  if (crc32(bytes.subarray(8)) !== words.getUint32(4, true))
    throw new Error("The run in this page does not fit its checksum: the file is damaged. Write it again with `warploom explore`.");
  const length = words.getUint32(8, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(12, 12 + length)));
  const body = bytes.subarray(12 + length);
  const tables = {};
  for (const [name, table] of Object.entries(header.tables)) {
    tables[name] = { rows: table.rows };
    for (const [column, [first, size]] of Object.entries(table.columns))
      tables[name][column] = steps(body.subarray(first, first + size), table.rows);
  }
  const arrays = {};
  for (const [name, [first, size]] of Object.entries(header.arrays)) arrays[name] = body.slice(first, first + size);
  return { ...header, tables, arrays };
}

/** The numbers of a column that `columns.steps` has laid out. */
export function steps(bytes, count) {
  const large = new COLUMN_KINDS.large(count);
  let value = 0,
    at = 0,
    least = 0,
    most = 0;
  for (let row = 0; row < count; row++) {
    let number = 0,
      scale = 1,
      byte;
    do {
      byte = bytes[at++];
      number += (byte & 127) * scale;
      scale *= 128;
    } while (byte > 127);
    value += number % 2 ? -(number + 1) / 2 : number / 2;
    large[row] = value;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return least >= -0x80000000 && most <= 0x7fffffff ? COLUMN_KINDS.small.from(large) : large;
}

/** The words that `columns.planes` has laid out. */
export function planes(bytes) {
  const count = bytes.length / 4;
  const words = new Uint32Array(count);
  for (let row = 0; row < count; row++)
    words[row] = bytes[row] | (bytes[row + count] << 8) | (bytes[row + 2 * count] << 16) | (bytes[row + 3 * count] << 24);
  return words;
}

function crc32(bytes) {
  const table = new Int32Array(256);
  for (let number = 0; number < 256; number++) {
    let value = number;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    table[number] = value;
  }
  let crc = -1;
  for (let at = 0; at < bytes.length; at++) crc = (crc >>> 8) ^ table[(crc ^ bytes[at]) & 255];
  return (crc ^ -1) >>> 0;
}
