// The memory system of a run: accesses, their transactions, lines on their way, and why the answer to an access is not there yet.

import { elementAt } from "explorer/elements.js";
import { after, grouped, Intervals } from "explorer/search.js";

const FARTHEST = 4096; // transactions that are looked back upon for those that miss

export class Traffic {
  constructor(run) {
    this.run = run;
    const { requests, completes, fills, serves, l2 } = run.tables;
    Object.assign(this, { requests, completes, fills, serves, l2 });
    const slot = (table) => (row) => table.core[row] * 64 + table.warp[row];
    this.requestsOf = grouped(requests.rows, slot(requests));
    this.completed = new Map();
    for (let row = 0; row < completes.rows; row++)
      this.completed.set(`${slot(completes)(row)} ${completes.pc[row]} ${completes.issued[row]}`, completes.done[row]);
    this.fillsOf = grouped(fills.rows, (row) => `${fills.core[row]} ${fills.line[row]}`);
    this.lookupsOf = grouped(l2.rows, (row) => `${l2.core[row]} ${l2.line[row]}`);
    this.servesOf = grouped(serves.rows, (row) => serves.line[row]);
    this.serving = new Intervals(
      serves.rows,
      (row) => serves.time[row],
      (row) => serves.done[row] + 1,
    );
    const accesses = [];
    for (const span of run.issues) {
      const unit = run.program.instructions[run.spans.pc[span]]?.unit;
      if (unit === "memory" || unit === "texture") accesses.push({ span, unit, start: run.spans.start[span], done: this.doneOf(span) });
    }
    this.accesses = accesses;
    this.inFlight = new Intervals(
      accesses.length,
      (row) => accesses[row].start,
      (row) => accesses[row].done + 1,
    );
  }

  /** The cycle in which the access of a span is done, or the end of the run. */
  doneOf(span) {
    const { core, warp, pc, start } = this.run.spans;
    return this.completed.get(`${core[span] * 64 + warp[span]} ${pc[span]} ${start[span]}`) ?? this.run.cycles;
  }

  /** The transactions of an access, and where the one is that comes last, as links of a chain of causes. */
  explain(slot, span, cycle, add) {
    const { requests, run } = this;
    const issued = run.spans.start[span],
      done = this.doneOf(span),
      pc = run.spans.pc[span];
    const mine = (this.requestsOf.get(slot.core * 64 + slot.warp) || []).filter(
      (row) => requests.pc[row] === pc && requests.time[row] >= issued && requests.time[row] <= done,
    );
    const sent = mine.filter((row) => requests.time[row] <= cycle);
    if (!sent.length) {
      const before = this.inFlight.at(cycle).filter((row) => this.ofCore(row, slot.core) && this.accesses[row].start < issued).length;
      add(
        `none of its transactions has left the load/store unit: ${before} older accesses of the core are in it`,
        issued,
        mine.length ? requests.time[mine[0]] : done,
        "lsu.queue",
      );
      return;
    }
    if (sent.length < mine.length)
      add(
        `${sent.length} of its ${mine.length} transactions have left the load/store unit, ${run.machine.config["lsu.ports"]} per cycle`,
        issued,
        requests.time[mine[mine.length - 1]],
        "lsu.ports",
      );
    const arrival = (row) => this.#arrival(row, slot.core, done);
    const last = sent.reduce((one, other) => (arrival(other) >= arrival(one) ? other : one));
    const line = requests.line[last],
      time = requests.time[last],
      texture = run.program.instructions[pc].unit === "texture";
    const which =
      mine.length > 1
        ? `of ${mine.length} transactions the last to be answered, ${this.lineName(line)},`
        : `its transaction, ${this.lineName(line)},`;
    const cache = texture ? "the texture cache" : "the L1";
    const outcome = run.word("requests", "outcome", last);
    if (outcome === "hit") add(`${which} hit in ${cache}: ${run.machine.config["l1.latency"]} cycles`, time, arrival(last) + 1, "hit");
    else if (outcome === "passed on") add(`${which} bypassed the L1 and went to the next level`, time, arrival(last) + 1, "passed");
    else
      add(
        `${which} ${outcome === "miss" ? "missed" : "waits with an older miss"} in ${cache} in cycle ${time}`,
        time,
        arrival(last) + 1,
        outcome,
      );
    if (outcome !== "hit") this.#beyond(slot.core, line, time, arrival(last), outcome === "merged", add);
  }

  /** When the answer to a transaction is there. */
  #arrival(row, core, done) {
    const { requests, fills } = this;
    if (this.run.word("requests", "outcome", row) === "hit") return requests.time[row] + this.run.machine.config["l1.latency"] - 1;
    const rows = this.fillsOf.get(`${core} ${requests.line[row]}`) || [];
    const fill = rows.find((fillRow) => fills.time[fillRow] > requests.time[row]);
    return fill === undefined ? done : Math.min(fills.time[fill], done);
  }

  /** What happens to a line beyond the core: the second cache, and memory. */
  #beyond(core, line, time, done, merged, add) {
    const { l2, serves, run } = this;
    const lookups = (this.lookupsOf.get(`${core} ${line}`) || []).filter((row) => l2.time[row] <= done && (merged || l2.time[row] >= time));
    const lookup = lookups[lookups.length - 1];
    if (lookup !== undefined) {
      const outcome = run.word("l2", "outcome", lookup);
      const found = { miss: "missed", merged: "waits with an older miss of another access", store: "stores" }[outcome] ?? outcome;
      add(
        `the L2 looked it up in cycle ${l2.time[lookup]}: ${found}`,
        l2.time[lookup],
        done + 1,
        outcome,
      );
      if (outcome === "hit") return;
    }
    const rows = (this.servesOf.get(line) || []).filter((row) => serves.done[row] <= done && serves.done[row] >= time);
    const own = rows.filter((row) => serves.core[row] === core),
      serve = (own.length ? own : rows).pop();
    if (serve === undefined) return;
    const channel = this.channelOf(line);
    const others = this.serving
      .at(serves.time[serve])
      .filter((row) => row !== serve && serves.time[row] <= serves.time[serve] && this.channelOf(serves.line[row]) === channel);
    const config = run.machine.config,
      among = others.length,
      place = channel < 0 ? "memory" : `memory channel ${channel}`;
    add(
      `${place} serves ${this.lineName(line)} until cycle ${serves.done[serve]}`,
      serves.time[serve],
      serves.done[serve] + 1,
      "memory channel",
    );
    const queues = channel < 0 ? among >= config["memory.data_channels"] : among && (config["dram.bandwidth"] || config["dram.row"]);
    if (!queues) return;
    const names = others
      .slice(-4)
      .map((row) => this.lineName(serves.line[row]))
      .join(", ");
    const text =
      channel < 0 ? "all channels were busy with older requests" : `${among} older request${among > 1 ? "s were" : " was"} in the channel`;
    add(`${text}: ${names}${among > 4 ? " ..." : ""}`, serves.time[others[0]], serves.done[others[among - 1]] + 1, "memory channel");
  }

  /** Whether an access is one of a core. */
  ofCore(row, core) {
    return this.run.spans.core[this.accesses[row].span] === core;
  }

  /** The DRAM channel of a line, or -1 where a request takes any channel that is free. */
  channelOf(line) {
    const config = this.run.machine.config;
    if (config["memory.kind"] !== "dram") return -1;
    const interleave = Math.max(config["l1.line"], config["l2.bytes"] ? config["l2.line"] : 1);
    return Math.floor((line * config["l1.line"]) / interleave) % config["dram.channels"];
  }

  /** A line as the bytes that lie in it. */
  lineName(line) {
    const size = this.run.machine.config["l1.line"],
      first = elementAt(this.run.program, line * size),
      last = elementAt(this.run.program, line * size + size - 1);
    if (first && last) return `the cache line of ${first} to ${last}`;
    return `line ${line} (bytes ${line * size} to ${line * size + size - 1})`;
  }

  /** Requests that wait for a line in a core's cache: its misses without a fill so far. */
  missing(core, cycle) {
    const { requests, fills } = this;
    const found = new Map();
    const upTo = after(requests.time, cycle);
    for (let row = Math.max(0, upTo - FARTHEST); row < upTo; row++) {
      if (requests.core[row] !== core || !["miss", "merged"].includes(this.run.word("requests", "outcome", row))) continue;
      const filled = (this.fillsOf.get(`${core} ${requests.line[row]}`) || []).find((fill) => fills.time[fill] > requests.time[row]);
      const until = filled === undefined ? this.run.cycles : fills.time[filled];
      if (until <= cycle) continue;
      const entry = found.get(requests.line[row]) || { line: requests.line[row], since: requests.time[row], until, waiters: 0 };
      entry.waiters++;
      found.set(requests.line[row], entry);
    }
    return [...found.values()];
  }
}
