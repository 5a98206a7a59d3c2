// The scoreboard of a warp, and the chain of causes behind its waiting: a register, its load, a line, a cache, memory.

import { after, grouped, Intervals } from "explorer/search.js";

const HIT = 0, MISS = 1, MERGED = 2, STORE = 3, PASSED = 4;
const FARTHEST = 512; // issues that are looked back upon: no instruction keeps a register longer

export class Causes {
  constructor(run) {
    this.run = run;
    const { requests, completes, fills, serves, l2, pipes, barriers } = run.tables;
    Object.assign(this, { requests, completes, fills, serves, l2, pipes, barriers });
    const slot = (table) => (row) => table.core[row] * 64 + table.warp[row];
    this.requestsOf = grouped(requests.rows, slot(requests));
    this.completed = new Map();
    for (let row = 0; row < completes.rows; row++)
      this.completed.set(`${slot(completes)(row)} ${completes.pc[row]} ${completes.issued[row]}`, completes.done[row]);
    this.fillsOf = grouped(fills.rows, (row) => `${fills.core[row]} ${fills.line[row]}`);
    this.lookupsOf = grouped(l2.rows, (row) => `${l2.core[row]} ${l2.line[row]}`);
    this.servesOf = grouped(serves.rows, (row) => serves.line[row]);
    this.serving = new Intervals(serves.rows, (row) => serves.time[row], (row) => serves.done[row] + 1);
    this.piping = new Intervals(pipes.rows, (row) => pipes.time[row], (row) => pipes.until[row]);
    const accesses = [];
    for (const span of run.issues) {
      const unit = run.program.instructions[run.spans.pc[span]]?.unit;
      if (unit === "memory" || unit === "texture") accesses.push({ span, unit, start: run.spans.start[span], done: this.doneOf(span) });
    }
    this.accesses = accesses;
    this.inFlight = new Intervals(accesses.length, (row) => accesses[row].start, (row) => accesses[row].done + 1);
  }

  /** The cycle in which the access of a span is done, or the end of the run. */
  doneOf(span) {
    const { core, warp, pc, start } = this.run.spans;
    return this.completed.get(`${core[span] * 64 + warp[span]} ${pc[span]} ${start[span]}`) ?? this.run.cycles;
  }

  /** The first cycle in which what the issue of a span writes can be used. */
  readyOf(span) {
    const until = this.run.tables.ready.until[this.run.issuesBefore[span]];
    if (until >= 0) return until;
    return this.run.program.instructions[this.run.spans.pc[span]].unit === "shared" ? this.#sharedReady(span) : this.doneOf(span) + 1;
  }

  /** Of an access to shared memory: its latency, or longer where banks conflict, which shows in how long the first one that needs it waits. */
  #sharedReady(span) {
    const { run } = this, { core, warp, start, length, activity, pc, rows } = run.spans;
    const writes = run.program.instructions[pc[span]].writes, least = start[span] + run.machine.config["shared.latency"];
    for (let row = span + 1; row < Math.min(rows, span + FARTHEST) && core[row] === core[span] && warp[row] === warp[span]; row++) {
      if (!run.program.instructions[pc[row]]?.uses.some((group) => writes.includes(group))) continue;
      if (run.activities[activity[row]][0] === "short_scoreboard") return Math.max(least, start[row] + length[row]);
      if (activity[row] === run.issueActivity) return Math.min(least, start[row]);
    }
    return least;
  }

  /** What a slot's scoreboard holds in a cycle: [{group, span, until}], a row a register group, the last one to be free first. */
  pending(slot, cycle) {
    const run = this.run, { start, block, rank } = run.spans;
    const here = run.spanAt(slot, cycle);
    if (here < 0) return [];
    const found = new Map();
    const upTo = run.issuesBefore[here];
    for (let index = upTo - 1; index >= Math.max(0, upTo - FARTHEST); index--) {
      const span = run.issues[index];
      if (span < slot.first || block[span] !== block[here] || rank[span] !== rank[here]) break;
      if (start[span] >= cycle) continue;
      const until = this.readyOf(span);
      if (until <= cycle) continue;
      for (const group of run.program.instructions[run.spans.pc[span]].writes)
        if (!found.has(group)) found.set(group, { group, span, until });
    }
    return [...found.values()].sort((one, other) => other.until - one.until);
  }

  /** A register group's name: `R10`, or `r1` for the four components of a register. */
  groupName(group) {
    const { registers, scalars, lock_width: width, scalar_group: first } = this.run.program;
    if (group >= first) return scalars[group - first] || `s${group - first}`;
    const name = registers[group * width] || `v${group * width}`;
    return width > 1 ? name.split(".")[0] : name;
  }

  /** Why a slot does in a cycle what it does: [{text, from, to}], the warp first and memory last. */
  chain(slot, cycle) {
    const run = this.run, span = run.spanAt(slot, cycle);
    if (span < 0) return [];
    const { activity, pc } = run.spans, [from, to] = run.stretch(slot, span);
    const [name] = run.activities[activity[span]];
    const links = [];
    const add = (text, first = from, last = to, term = "", other = null) => links.push({ text, from: first, to: last, term, slot: other });
    if (name === "selected") {
      add(`issues ${run.where(pc[span])}`, from, to, "issue");
      return links;
    }
    add(`${run.warpName(span)} waits with ${run.where(pc[span])}`, from, to, name);
    if (["long_scoreboard", "short_scoreboard", "wait"].includes(name)) this.#registers(slot, span, cycle, add);
    else if (name === "not_selected") this.#chosen(slot, cycle, add);
    else if (name === "barrier") this.#absent(slot, span, cycle, add);
    else if (name === "math_pipe_throttle") this.#pipes(slot, cycle, add);
    else if (name === "mio_throttle") this.#sharedBusy(slot, cycle, add);
    else if (name === "drain" || name === "membar" || name.endsWith("_throttle")) this.#accesses(slot, cycle, name, add);
    else if (name === "branch_resolving") add(`core.branch_latency is ${run.machine.config["core.branch_latency"]} cycles`, from, to, "core.branch_latency");
    else if (name === "no_instruction") add("the instruction is on its way from the instruction cache or from program memory", from, to, "fetch_misses");
    return links;
  }

  #registers(slot, span, cycle, add) {
    const run = this.run;
    const uses = new Set(run.program.instructions[run.spans.pc[span]].uses);
    const worst = this.pending(slot, cycle).find((entry) => uses.has(entry.group));
    if (!worst) return;
    const issued = run.spans.start[worst.span], by = run.where(run.spans.pc[worst.span]);
    add(`${this.groupName(worst.group)} is written by ${by}, issued in cycle ${issued}: usable from cycle ${worst.until}`, issued, worst.until, "scoreboard");
    const unit = run.program.instructions[run.spans.pc[worst.span]].unit;
    if (unit === "memory" || unit === "texture") this.#access(slot, worst.span, cycle, add);
    else if (unit === "shared") add(this.#passes(run.spans.pc[worst.span]), issued, worst.until, "bank");
    else {
      const setting = `latency.${run.program.instructions[run.spans.pc[worst.span]].latency}`, cycles = run.machine.config[setting];
      add(cycles ? `${setting} is ${cycles} cycle${cycles > 1 ? "s" : ""} on this machine` : `the ${unit} unit takes that long`, issued, worst.until, cycles ? setting : unit);
    }
  }

  /** The transactions of an access, and where the one is that comes last. */
  #access(slot, span, cycle, add) {
    const { requests, run } = this;
    const issued = run.spans.start[span], done = this.doneOf(span), pc = run.spans.pc[span];
    const mine = (this.requestsOf.get(slot.core * 64 + slot.warp) || []).filter(
      (row) => requests.pc[row] === pc && requests.time[row] >= issued && requests.time[row] <= done
    );
    const sent = mine.filter((row) => requests.time[row] <= cycle);
    if (!sent.length) {
      const before = this.inFlight.at(cycle).filter((row) => this.#ofCore(row, slot.core) && this.accesses[row].start < issued).length;
      add(`none of its transactions has left the load/store unit: ${before} older accesses of the core are in it`, issued, mine.length ? requests.time[mine[0]] : done, "lsu.queue");
      return;
    }
    if (sent.length < mine.length) add(`${sent.length} of its ${mine.length} transactions have left the load/store unit, ${run.machine.config["lsu.ports"]} a cycle`, issued, requests.time[mine[mine.length - 1]], "lsu.ports");
    const arrival = (row) => this.#arrival(row, slot.core, done);
    const last = sent.reduce((one, other) => (arrival(other) >= arrival(one) ? other : one));
    const line = requests.line[last], time = requests.time[last], texture = run.program.instructions[pc].unit === "texture";
    const which = mine.length > 1 ? `of ${mine.length} transactions the last to be answered, ${this.lineName(line)},` : `its transaction, ${this.lineName(line)},`;
    const cache = texture ? "the texture cache" : "the L1";
    const outcome = requests.outcome[last];
    if (outcome === HIT) add(`${which} hit in ${cache}: ${run.machine.config["l1.latency"]} cycles`, time, arrival(last) + 1, "hit");
    else if (outcome === PASSED) add(`${which} went past the L1 to the next level`, time, arrival(last) + 1, "passed");
    else add(`${which} ${outcome === MISS ? "missed" : "waits with an older miss"} in ${cache} in cycle ${time}`, time, arrival(last) + 1, outcome === MISS ? "miss" : "merged");
    if (outcome !== HIT) this.#beyond(slot.core, line, time, arrival(last), outcome === MERGED, add);
  }

  /** When the answer to a transaction is there. */
  #arrival(row, core, done) {
    const { requests, fills } = this;
    if (requests.outcome[row] === HIT) return requests.time[row] + this.run.machine.config["l1.latency"] - 1;
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
      const found = ["hit", "missed", "waits with an older miss of another access", "stores"][l2.outcome[lookup]];
      add(`the L2 looked it up in cycle ${l2.time[lookup]}: ${found}`, l2.time[lookup], done + 1, ["hit", "miss", "merged", "store"][l2.outcome[lookup]]);
      if (l2.outcome[lookup] === HIT) return;
    }
    const rows = (this.servesOf.get(line) || []).filter((row) => serves.done[row] <= done && serves.done[row] >= time);
    const own = rows.filter((row) => serves.core[row] === core), serve = (own.length ? own : rows).pop();
    if (serve === undefined) return;
    const channel = this.channelOf(line);
    const others = this.serving.at(serves.time[serve]).filter((row) => row !== serve && serves.time[row] <= serves.time[serve] && this.channelOf(serves.line[row]) === channel);
    const config = run.machine.config, among = others.length, place = channel < 0 ? "memory" : `memory channel ${channel}`;
    add(`${place} serves ${this.lineName(line)} until cycle ${serves.done[serve]}`, serves.time[serve], serves.done[serve] + 1, "memory channel");
    const queues = channel < 0 ? among >= config["memory.data_channels"] : among && (config["dram.bandwidth"] || config["dram.row"]);
    if (!queues) return;
    const names = others.slice(-4).map((row) => this.lineName(serves.line[row])).join(", ");
    const text = channel < 0 ? "all channels were busy with older requests" : `${among} older request${among > 1 ? "s were" : " was"} in the channel`;
    add(`${text}: ${names}${among > 4 ? " ..." : ""}`, serves.time[others[0]], serves.done[others[among - 1]] + 1, "memory channel");
  }

  /** How an instruction's accesses to shared memory go, as a sentence. */
  #passes(pc) {
    const { passes, accesses } = this.run.run.profile[pc] ?? { passes: 0, accesses: 0 }, mean = accesses ? passes / accesses : 1;
    const config = this.run.machine.config, latency = `shared.latency is ${config["shared.latency"]}`;
    return mean > 1 ? `its accesses take ${mean.toFixed(1)} passes each, since lanes want the same of ${config["shared.banks"]} banks; ${latency}` : `shared memory answers without conflicts; ${latency}`;
  }

  /** Who has shared memory: the last one of the core that has issued an access to it. */
  #sharedBusy(slot, cycle, add) {
    const run = this.run, { start, pc } = run.spans;
    let latest = -1;
    for (const other of run.slots) {
      const span = other.core === slot.core ? run.lastIssue(other, cycle, (row) => run.program.instructions[pc[row]].unit === "shared") : -1;
      if (span >= 0 && (latest < 0 || start[span] > start[latest])) latest = span;
    }
    if (latest < 0) return;
    add(`shared memory serves ${run.warpName(latest)} since cycle ${start[latest]}: ${run.where(pc[latest])}`, start[latest], cycle + 1, "shared memory");
    add(this.#passes(pc[latest]), start[latest], cycle + 1, "bank");
  }

  #chosen(slot, cycle, add) {
    const run = this.run, config = run.machine.config, schedulers = config["core.schedulers"];
    const others = run.slots.filter((other) => other !== slot && other.core === slot.core && other.warp % schedulers === slot.warp % schedulers);
    const picked = others.some((other) => run.spanAt(other, cycle) >= 0 && run.spans.activity[run.spanAt(other, cycle)] === 0);
    if (!picked) add(`no warp issued in this cycle; the scheduler (core.scheduler is ${config["core.scheduler"]}) has not come to this one yet`, cycle, cycle + 1, "core.scheduler");
    for (const other of others) {
      const span = run.spanAt(other, cycle);
      if (span >= 0 && run.spans.activity[span] === 0) add(`the scheduler picked ${run.warpName(span)}: ${run.where(run.spans.pc[span])}`, cycle, cycle + 1, "core.scheduler", other);
    }
  }

  #absent(slot, span, cycle, add) {
    const run = this.run;
    for (const other of run.slots) {
      const row = other === slot ? -1 : run.spanAt(other, cycle);
      if (row < 0 || run.spans.block[row] !== run.spans.block[span]) continue;
      const [name] = run.activities[run.spans.activity[row]];
      if (name !== "barrier") add(`${run.warpName(row)} has not come to the barrier: ${name === "selected" ? "it issues" : name}, at ${run.where(run.spans.pc[row])}`, run.spans.start[row], run.spans.start[row] + run.spans.length[row], name, other);
    }
  }

  #pipes(slot, cycle, add) {
    const { pipes, run } = this;
    for (const row of this.piping.at(cycle)) {
      if (pipes.core[row] !== slot.core) continue;
      const other = run.slots.find((one) => one.core === slot.core && one.warp === pipes.warp[row]);
      add(`ALU ${pipes.pipe[row]} has taken an instruction of w${pipes.warp[row]} and is free again in cycle ${pipes.until[row]}`, pipes.time[row], pipes.until[row], "alu.count", other);
    }
  }

  #accesses(slot, cycle, name, add) {
    const run = this.run, own = name === "drain" || name === "membar";
    const rows = this.inFlight.at(cycle).filter((row) => this.#ofCore(row, slot.core) && (!own || run.spans.warp[this.accesses[row].span] === slot.warp));
    for (const row of rows.slice(0, 6)) {
      const { span, start, done } = this.accesses[row];
      add(`${own ? "" : `${run.warpName(span)}: `}${run.where(run.spans.pc[span])} is on its way since cycle ${start}, until ${done}`, start, done + 1, "lsu");
    }
    if (rows.length > 6) add(`and ${rows.length - 6} more accesses`, cycle, cycle + 1, "lsu.queue");
  }

  #ofCore(row, core) {
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
    const size = this.run.machine.config["l1.line"];
    return `line ${line} (bytes ${line * size} to ${line * size + size - 1})`;
  }

  /** Requests that wait for a line in a core's cache: its misses without a fill so far. */
  missing(core, cycle) {
    const { requests, fills } = this;
    const found = new Map();
    const upTo = after(requests.time, cycle);
    for (let row = Math.max(0, upTo - 4096); row < upTo; row++) {
      if (requests.core[row] !== core || (requests.outcome[row] !== MISS && requests.outcome[row] !== MERGED)) continue;
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

export const OUTCOMES = { HIT, MISS, MERGED, STORE, PASSED };
