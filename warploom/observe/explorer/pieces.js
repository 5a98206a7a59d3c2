// The pieces of a run: a long one lies in the page in several texts, of which only those are unpacked that somebody looks at.

import { readRun } from "explorer/decode.js";

export class Pieces {
  /** elements: the scripts of one run, in the order of time. */
  constructor(elements, version) {
    this.version = version;
    this.list = elements.map((element) => ({ first: Number(element.dataset.first), stop: Number(element.dataset.stop), element }));
    this.first = this.list[0].first;
    this.stop = this.list[this.list.length - 1].stop;
    this.current = -1;
  }

  get several() {
    return this.list.length > 1;
  }

  /** The number of the piece that shows a cycle. */
  of(cycle) {
    const found = this.list.findIndex((piece) => cycle < piece.stop);
    return found < 0 ? this.list.length - 1 : found;
  }

  /** The data of a piece. Its memory is kept as the first piece has it, exclusive-or what has changed since. */
  async read(number) {
    const piece = this.list[number],
      data = await readRun(piece.element.textContent, this.version);
    if (!this.several) piece.element.remove();
    if (number === 0) this.memory = data.arrays.memory;
    else data.arrays.memory = together(this.memory ?? (await this.read(0), this.memory), data.arrays.memory);
    this.current = number;
    return data;
  }
}

function together(one, other) {
  const found = new Uint8Array(Math.max(one.length, other.length));
  found.set(one);
  for (let at = 0; at < other.length; at++) found[at] ^= other[at];
  return found;
}
