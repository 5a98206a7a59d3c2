// A run that can be asked: what a warp does in a cycle, where its instructions issued, what its registers and its memory hold.

import { planes } from "explorer/decode.js";
import { numberOf } from "explorer/line_numbers.js";
import { after, grouped, lastUpTo } from "explorer/search.js";

const SELECTED = 0;

/** What a lane of a warp can be: it executes, or why it does not (as in `facts/lane_states.py`). */
export const LANE_STATES = ["active", "diverged", "ended", "no thread"];

export class Run {
  constructor(data, name) {
    this.name = name;
    this.load(data);
  }

  /** Take the data of a run, or of another piece of it. */
  load(data) {
    Object.assign(this, data);
    this.offSeen = null;
    this.cycles = Math.max(1, this.run.cycles);
    this.first = this.run.first; // the cycles that these data show
    this.stop = Math.max(this.run.stop, this.first + 1);
    this.begins = this.run.begins; // and the first one that they know
    this.lanes = this.machine.lanes;
    this.sequencer = this.machine.kind === "sequencer";
    this.spans = this.tables.spans;
    this.slots = this.#slots();
    this.issues = this.#issues();
    this.#registers();
    this.memory = new Memory(this.arrays.memory, this.run.memory_bytes, this.tables.memory);
    this.signals = this.sequencer ? new SignalTable(data) : null;
  }

  /** What stands in a row of a table of events for a field that has words: `machine/accounting/event_kinds.py` says which. */
  word(table, field, row) {
    return this.events[table][field].words[this.tables[table][field][row]];
  }

  /** Every warp slot in which a warp has run: its spans are first .. last - 1. */
  #slots() {
    const { core, warp, rows } = this.spans;
    const found = [];
    for (let row = 0; row < rows; row++) {
      const open = found[found.length - 1];
      if (open && open.core === core[row] && open.warp === warp[row]) open.last = row + 1;
      else found.push({ core: core[row], warp: warp[row], first: row, last: row + 1, number: found.length });
    }
    for (const slot of found)
      slot.label = this.sequencer ? `core ${slot.core}` : `warp ${slot.core}:${slot.warp}`;
    return found;
  }

  /** The spans that issue, in order, and how many come before each span; of a sequencer those that execute. */
  #issues() {
    const { activity, rows } = this.spans;
    const wanted = this.sequencer ? this.activities.findIndex(([name]) => name === "execute") : SELECTED;
    const found = [];
    this.issuesBefore = new Int32Array(rows + 1);
    for (let row = 0; row < rows; row++) {
      this.issuesBefore[row] = found.length;
      if (activity[row] === wanted) found.push(row);
    }
    this.issuesBefore[rows] = found.length;
    this.issueActivity = wanted;
    return found;
  }

  #registers() {
    const table = this.tables.registers;
    this.hasRegisters = Boolean(table) || this.sequencer;
    if (!table) return;
    const lanes = this.lanes;
    this.values = planes(this.arrays.values);
    const key = (row) => (table.core[row] * 64 + table.warp[row]) * 1024 + table.register[row];
    this.registerRows = grouped(table.rows, key);
    for (const rows of this.registerRows.values())
      for (let place = 1; place < rows.length; place++)
        for (let lane = 0; lane < lanes; lane++) this.values[rows[place] * lanes + lane] ^= this.values[rows[place - 1] * lanes + lane];
    const slot = (name) => grouped(this.tables[name].rows, (row) => this.tables[name].core[row] * 64 + this.tables[name].warp[row]);
    this.pathRows = slot("paths");
    const scalars = this.tables.scalars;
    this.scalarRows = grouped(scalars.rows, (row) => (scalars.core[row] * 64 + scalars.warp[row]) * 1024 + scalars.register[row]);
  }

  /** The span of a slot in a cycle, or -1. */
  spanAt(slot, cycle) {
    const row = after(this.spans.start, cycle, slot.first, slot.last) - 1;
    return row >= slot.first && cycle < this.spans.start[row] + this.spans.length[row] ? row : -1;
  }

  /** The last span of a slot up to a cycle that issues and that `test` agrees with, or -1; of the last 256 issues. */
  lastIssue(slot, cycle, test) {
    const row = after(this.spans.start, cycle, slot.first, slot.last);
    const upTo = this.issuesBefore[row],
      least = Math.max(this.issuesBefore[slot.first], upTo - 256);
    for (let index = upTo - 1; index >= least; index--) if (test(this.issues[index])) return this.issues[index];
    return -1;
  }

  /** Whether a warp goes on in a span with what it did in the span before: spans may end where nothing new begins. */
  continues(slot, row) {
    const { start, length, activity, pc, block, rank } = this.spans,
      before = row - 1;
    if (row === slot.first || start[before] + length[before] !== start[row]) return false;
    if (activity[before] !== activity[row] || pc[before] !== pc[row]) return false;
    if (activity[row] === this.issueActivity && !this.sequencer) return false;
    return block[before] === block[row] && rank[before] === rank[row];
  }

  /** The stretch around a span in which its warp does the same at the same instruction: [first cycle, first cycle after it]. */
  stretch(slot, row) {
    const { start, length } = this.spans;
    let first = row,
      last = row;
    while (this.continues(slot, first)) first--;
    while (last + 1 < slot.last && this.continues(slot, last + 1)) last++;
    return [start[first], start[last] + length[last]];
  }

  /** Whether the instruction of a span stops some lanes while others go on. */
  parts(row) {
    const { mask, next, mask_high: maskHigh, next_high: nextHigh } = this.spans;
    // Bitwise operators give signed numbers, whatever the columns hold: only zero is compared.
    const halves = [[mask[row], next[row]]];
    if (maskHigh) halves.push([maskHigh[row], nextHigh[row]]);
    const some = (test) => halves.some(([whole, part]) => test(whole, part) !== 0);
    return some((whole, part) => whole ^ part) && some((_, part) => part) && !some((whole, part) => part & ~whole);
  }

  /** Whether a lane is in the mask of a span; `next`: in the mask after it. */
  inMask(row, lane, name = "mask") {
    return lane < 32 ? (this.spans[name][row] >>> lane) & 1 : (this.spans[`${name}_high`][row] >>> (lane - 32)) & 1;
  }

  /** What a lane is in a span: a place in LANE_STATES. */
  laneState(row, lane) {
    if (this.inMask(row, lane)) return 0;
    if (this.inMask(row, lane, "ended")) return 2;
    return this.inMask(row, lane, "threads") ? 1 : 3;
  }

  /** What all lanes are in a span, in words. */
  laneStates(row) {
    return Array.from({ length: this.lanes }, (_, lane) => LANE_STATES[this.laneState(row, lane)]);
  }

  /** The words for lanes that do not execute, as far as they happen in this run. */
  get offStates() {
    this.offSeen ??= LANE_STATES.filter((_, state) => state > 0 && this.#happens(state));
    return this.offSeen;
  }

  #happens(state) {
    const { rows } = this.spans,
      parts = this.spans.mask_high ? ["", "_high"] : [""];
    for (const part of parts) {
      const of = (name) => this.spans[name + part];
      const mask = of("mask"),
        threads = of("threads"),
        ended = of("ended"),
        lanes = part ? this.lanes - 32 : Math.min(32, this.lanes),
        all = lanes === 32 ? -1 : (1 << lanes) - 1;
      for (let row = 0; row < rows; row++) {
        const off = ~mask[row] & all;
        if (state === 1 ? off & threads[row] & ~ended[row] : state === 2 ? off & ended[row] : off & ~threads[row]) return true;
      }
    }
    return false;
  }

  /** The mask of a row of a table as booleans. */
  maskOf(table, row, name = "mask") {
    const low = table[name][row],
      high = table[`${name}_high`] ? table[`${name}_high`][row] : 0;
    return Array.from({ length: this.lanes }, (_, lane) => Boolean(lane < 32 ? (low >>> lane) & 1 : (high >>> (lane - 32)) & 1));
  }

  /** A slot's register after a cycle: {values, time} (time -1: it has its first value, 0), or null where nothing was recorded. */
  register(slot, register, cycle) {
    if (this.sequencer) return this.signals.register(slot.core, register, cycle, this.lanes);
    if (!this.registerRows || cycle >= this.run.until) return null;
    const rows = this.registerRows.get((slot.core * 64 + slot.warp) * 1024 + register) || [];
    const place = lastUpTo(rows, this.tables.registers.time, cycle);
    if (place < 0) return { values: new Uint32Array(this.lanes), time: -1, before: null };
    const part = (row) => this.values.subarray(row * this.lanes, (row + 1) * this.lanes);
    const before = place > 0 ? part(rows[place - 1]) : new Uint32Array(this.lanes);
    return { values: part(rows[place]), time: this.tables.registers.time[rows[place]], before };
  }

  /** A slot's scalar register after a cycle: {value, time}. */
  scalar(slot, register, cycle) {
    const rows = this.scalarRows?.get((slot.core * 64 + slot.warp) * 1024 + register) || [];
    const place = lastUpTo(rows, this.tables.scalars.time, cycle);
    return place < 0
      ? { value: 0, time: -1 }
      : { value: this.tables.scalars.value[rows[place]], time: this.tables.scalars.time[rows[place]] };
  }

  /** The rows of `paths` that hold for a slot after a cycle, the one that waits longest first. */
  paths(slot, cycle) {
    const table = this.tables.paths,
      rows = this.pathRows?.get(slot.core * 64 + slot.warp) || [];
    const place = table ? lastUpTo(rows, table.time, cycle) : -1;
    if (place < 0) return [];
    const time = table.time[rows[place]];
    return rows.filter((row) => table.time[row] === time && table.level[row] >= 0);
  }

  /** The row that shows an instruction, from 1: its source line, or its own where there is no text; 0 of a file that is not there. */
  lineOf(pc) {
    return this.program.source.length ? (this.program.instructions[pc]?.line ?? 0) : pc + 1;
  }

  /** An instruction as text, with its line; where lines are statements, the statement. */
  where(pc) {
    const instruction = this.program.instructions[pc];
    if (!instruction) return `PC ${pc}`;
    const statement = this.program.statements ? this.program.source[instruction.line - 1]?.trim() : "";
    if (statement) return `${statement} (line ${numberOf(this.program, instruction.line)})`;
    return instruction.line ? `${instruction.text} (line ${numberOf(this.program, instruction.line)})` : instruction.text;
  }

  /** How an instruction's warps are called in a sentence. */
  warpName(row) {
    return this.sequencer ? `block ${this.spans.block[row]}` : `warp ${this.spans.rank[row]} of block ${this.spans.block[row]}`;
  }
}

/** Memory at any cycle: goes forwards and backwards through the changes. */
class Memory {
  constructor(initial, bytes, changes) {
    this.bytes = new Uint8Array((bytes + 3) & ~3);
    this.bytes.set(initial.subarray(0, bytes));
    this.words = new Uint32Array(this.bytes.buffer);
    this.changes = changes;
    this.applied = 0;
    this.rowsOf = changes ? grouped(changes.rows, (row) => changes.word[row]) : new Map();
  }

  /** Bring `bytes` and `words` to what they are after a cycle. */
  at(cycle) {
    if (!this.changes) return;
    const { time, word, old, new: fresh, rows } = this.changes;
    while (this.applied < rows && time[this.applied] <= cycle) this.words[word[this.applied]] = fresh[this.applied++];
    while (this.applied > 0 && time[this.applied - 1] > cycle) this.words[word[--this.applied]] = old[this.applied];
  }

  /** The row of `changes` that wrote a word last, up to a cycle, or -1. */
  writer(word, cycle) {
    const rows = this.rowsOf.get(word) || [];
    const place = lastUpTo(rows, this.changes.time, cycle);
    return place < 0 ? -1 : rows[place];
  }
}

/** The signals of a machine that runs one instruction at a time. */
class SignalTable {
  constructor(data) {
    const { signal, time, value, rows } = data.tables.changes;
    this.time = time;
    this.value = value;
    this.number = new Map(data.signals.map((name, number) => [name, number]));
    this.first = new Int32Array(data.signals.length + 1);
    for (let row = 0; row < rows; row++) this.first[signal[row] + 1]++;
    for (let number = 0; number < data.signals.length; number++) this.first[number + 1] += this.first[number];
  }

  /** A signal after a cycle, by its name. */
  at(name, cycle) {
    const number = this.number.get(name);
    if (number === undefined) return undefined;
    const row = after(this.time, cycle, this.first[number], this.first[number + 1]) - 1;
    return row < this.first[number] ? 0 : this.value[row];
  }

  /** The cycle from which a signal has had its value. */
  since(name, cycle) {
    const number = this.number.get(name);
    const row = after(this.time, cycle, this.first[number], this.first[number + 1]) - 1;
    return row < this.first[number] ? 0 : this.time[row];
  }

  register(core, register, cycle, lanes) {
    const values = new Uint32Array(lanes),
      before = new Uint32Array(lanes);
    let time = -1;
    for (let lane = 0; lane < lanes; lane++) {
      const name = register < 16 ? `cores.${core}.threads.${lane}.regs.${register}` : `cores.${core}.threads.${lane}.nzp`;
      values[lane] = this.at(name, cycle) ?? 0;
      before[lane] = this.at(name, cycle - 1) ?? 0;
      if (values[lane]) time = Math.max(time, this.since(name, cycle));
    }
    return { values, time, before };
  }
}
