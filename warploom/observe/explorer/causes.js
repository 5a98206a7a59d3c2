// The scoreboard of a warp, and the chain of causes behind its waiting: a register, its load, a line, a cache, memory.

import { Intervals } from "explorer/search.js";
import { Traffic } from "explorer/traffic.js";

const FARTHEST = 512; // issues that are looked back upon: no instruction keeps a register longer

export class Causes {
  constructor(run) {
    this.run = run;
    this.traffic = new Traffic(run);
    const { pipes } = run.tables;
    this.pipes = pipes;
    this.piping = new Intervals(
      pipes.rows,
      (row) => pipes.time[row],
      (row) => pipes.until[row],
    );
  }

  /** The first cycle in which what the issue of a span writes can be used. */
  readyOf(span) {
    const until = this.run.tables.ready.until[this.run.issuesBefore[span]];
    if (until >= 0) return until;
    return this.run.program.instructions[this.run.spans.pc[span]].unit === "shared"
      ? this.#sharedReady(span)
      : this.traffic.doneOf(span) + 1;
  }

  /** Of an access to shared memory: its latency, or longer where banks conflict, which shows in how long the first one that needs it waits. */
  #sharedReady(span) {
    const { run } = this,
      { core, warp, start, length, activity, pc, rows } = run.spans;
    const writes = run.program.instructions[pc[span]].writes,
      least = start[span] + run.machine.config["shared.latency"];
    for (let row = span + 1; row < Math.min(rows, span + FARTHEST) && core[row] === core[span] && warp[row] === warp[span]; row++) {
      if (!run.program.instructions[pc[row]]?.uses.some((group) => writes.includes(group))) continue;
      if (["short_scoreboard", "waitcnt"].includes(run.activities[activity[row]][0])) return Math.max(least, start[row] + length[row]);
      if (activity[row] === run.issueActivity) return Math.min(least, start[row]);
    }
    return least;
  }

  /** The pipe of a sub-partition that takes an instruction; nothing where schedulers share their ALUs. */
  #pipeOf(pc) {
    const { unit, latency } = this.run.program.instructions[pc];
    return unit === "alu" ? this.run.machine.pipe_of[latency] : "";
  }

  /** Cycles that the result of one instruction takes longer to another one, because that one is of a different pipe. */
  #crossing(from, to) {
    const { config } = this.run.machine,
      way = `${this.#pipeOf(from)} ${this.#pipeOf(to)}`;
    return way === "integer float" ? config["latency.to_float"] : way === "float integer" ? config["latency.to_integer"] : 0;
  }

  /**
   * What a slot's scoreboard holds in a cycle: [{group, span, until}], a row per register group, the last one to be free first.
   * reader: the instruction that wants to use them, or -1.
   */
  pending(slot, cycle, reader = -1) {
    const run = this.run,
      { start, block, rank } = run.spans;
    const here = run.spanAt(slot, cycle);
    if (here < 0) return [];
    const found = new Map();
    const upTo = run.issuesBefore[here];
    for (let index = upTo - 1; index >= Math.max(0, upTo - FARTHEST); index--) {
      const span = run.issues[index];
      if (span < slot.first || block[span] !== block[here] || rank[span] !== rank[here]) break;
      if (start[span] >= cycle) continue;
      const until = this.readyOf(span) + (reader < 0 ? 0 : this.#crossing(run.spans.pc[span], reader));
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
    const run = this.run,
      span = run.spanAt(slot, cycle);
    if (span < 0) return [];
    const { activity, pc } = run.spans,
      [from, to] = run.stretch(slot, span);
    const [name] = run.activities[activity[span]];
    const links = [];
    const add = (text, first = from, last = to, term = "", other = null) => links.push({ text, from: first, to: last, term, slot: other });
    if (name === "selected") {
      add(`${name}: it issues ${run.where(pc[span])}`, from, to, "issue");
      return links;
    }
    add(`${run.warpName(span)} waits with ${run.where(pc[span])}`, from, to, name);
    const byWord = run.program.instructions[pc[span]]?.word && run.machine.config["core.issue"] === "control";
    if (byWord && ["long_scoreboard", "short_scoreboard", "wait", "branch_resolving"].includes(name)) this.#word(slot, span, cycle, name, add);
    else if (["long_scoreboard", "short_scoreboard", "wait", "waitcnt"].includes(name)) this.#registers(slot, span, cycle, add);
    else if (name === "not_selected") this.#chosen(slot, cycle, add);
    else if (name === "barrier") this.#absent(slot, span, cycle, add);
    else if (name === "math_pipe_throttle") this.#pipes(slot, cycle, add);
    else if (name === "mio_throttle") this.#sharedBusy(slot, cycle, add);
    else if (name === "drain" || name === "membar" || name.endsWith("_throttle")) this.#accesses(slot, cycle, name, add);
    else if (name === "branch_resolving")
      add(`core.branch_latency is ${run.machine.config["core.branch_latency"]} cycles`, from, to, "core.branch_latency");
    else if (name === "no_instruction")
      add("the instruction is being fetched from the instruction cache or from program memory", from, to, "fetch_misses");
    return links;
  }

  /** What a warp waits for where it issues by control words: the stall count of its last instruction, or counters that earlier ones set. */
  #word(slot, span, cycle, name, add) {
    const run = this.run,
      { start, block, rank, pc } = run.spans,
      upTo = run.issuesBefore[span],
      counters = name.endsWith("_scoreboard");
    const left = new Set(counters ? run.program.instructions[pc[span]].word.waits : []);
    for (let index = upTo - 1; index >= Math.max(0, upTo - FARTHEST); index--) {
      const other = run.issues[index];
      if (other < slot.first || block[other] !== block[span] || rank[other] !== rank[span]) break;
      const by = run.where(pc[other]),
        { word, unit } = run.program.instructions[pc[other]];
      if (!counters) {
        const [, end] = run.stretch(slot, span);
        const what = name === "wait" ? `the stall count is ${word.stall} after` : "the next instruction is known only some cycles after";
        add(`${what} ${by}, issued in cycle ${start[other]}`, start[other], end, name);
        return;
      }
      for (const [counter, of] of [
        [word.result, "result"],
        [word.operands, "operands"],
      ]) {
        if (!left.delete(counter)) continue;
        const until = of === "result" ? this.readyOf(other) : start[other];
        if (of === "result" && until <= cycle) continue;
        add(`it waits for B${counter}, which ${by}, issued in cycle ${start[other]}, sets for its ${of}`, start[other], until, "scoreboard");
        if (of === "result" && (unit === "memory" || unit === "texture")) this.traffic.explain(slot, other, cycle, add);
      }
      if (!left.size) return;
    }
  }

  #registers(slot, span, cycle, add) {
    const run = this.run;
    const uses = new Set(run.program.instructions[run.spans.pc[span]].uses);
    const worst = this.pending(slot, cycle, run.spans.pc[span]).find((entry) => uses.has(entry.group));
    if (!worst) return;
    const issued = run.spans.start[worst.span],
      by = run.where(run.spans.pc[worst.span]);
    const what = run.program.statements ? "it needs a result" : this.groupName(worst.group);
    add(
      `${what}${run.program.statements ? " of" : " is written by"} ${by}, issued in cycle ${issued}: usable from cycle ${worst.until}`,
      issued,
      worst.until,
      "scoreboard",
    );
    const unit = run.program.instructions[run.spans.pc[worst.span]].unit;
    if (unit === "memory" || unit === "texture") this.traffic.explain(slot, worst.span, cycle, add);
    else if (unit === "shared") add(this.#passes(run.spans.pc[worst.span]), issued, worst.until, "bank");
    else {
      const setting = `latency.${run.program.instructions[run.spans.pc[worst.span]].latency}`,
        cycles = run.machine.config[setting];
      add(
        cycles ? `${setting} is ${cycles} cycle${cycles > 1 ? "s" : ""} on this machine` : `the ${unit} unit takes that long`,
        issued,
        worst.until,
        cycles ? setting : unit,
      );
    }
  }

  /** How an instruction's accesses to shared memory go, as a sentence. */
  #passes(pc) {
    const { passes, accesses } = this.run.run.profile[pc] ?? { passes: 0, accesses: 0 },
      mean = accesses ? passes / accesses : 1;
    const config = this.run.machine.config,
      latency = `shared.latency is ${config["shared.latency"]}`;
    return mean > 1
      ? `its accesses take ${mean.toFixed(1)} passes each, since lanes want different words of the same of ${config["shared.banks"]} banks; ${latency}`
      : `shared memory answers without conflicts; ${latency}`;
  }

  /** Who has shared memory: the last one of the core that has issued an access to it. */
  #sharedBusy(slot, cycle, add) {
    const run = this.run,
      { start, pc } = run.spans;
    let latest = -1;
    for (const other of run.slots) {
      const span =
        other.core === slot.core ? run.lastIssue(other, cycle, (row) => run.program.instructions[pc[row]].unit === "shared") : -1;
      if (span >= 0 && (latest < 0 || start[span] > start[latest])) latest = span;
    }
    if (latest < 0) return;
    add(
      `shared memory serves ${run.warpName(latest)} since cycle ${start[latest]}: ${run.where(pc[latest])}`,
      start[latest],
      cycle + 1,
      "shared memory",
    );
    add(this.#passes(pc[latest]), start[latest], cycle + 1, "bank");
  }

  #chosen(slot, cycle, add) {
    const run = this.run,
      config = run.machine.config,
      schedulers = config["core.schedulers"];
    const others = run.slots.filter(
      (other) => other !== slot && other.core === slot.core && other.warp % schedulers === slot.warp % schedulers,
    );
    const picked = others.some((other) => run.spanAt(other, cycle) >= 0 && run.spans.activity[run.spanAt(other, cycle)] === 0);
    if (!picked && run.run.partial) add("another warp, which this page leaves out, may have issued", cycle, cycle + 1, "core.scheduler");
    else if (!picked)
      add(
        `no warp issued in this cycle; the scheduler (core.scheduler is ${config["core.scheduler"]}) has not reached this one yet`,
        cycle,
        cycle + 1,
        "core.scheduler",
      );
    for (const other of others) {
      const span = run.spanAt(other, cycle);
      if (span >= 0 && run.spans.activity[span] === 0)
        add(`the scheduler picked ${run.warpName(span)}: ${run.where(run.spans.pc[span])}`, cycle, cycle + 1, "core.scheduler", other);
    }
  }

  #absent(slot, span, cycle, add) {
    const run = this.run;
    for (const other of run.slots) {
      const row = other === slot ? -1 : run.spanAt(other, cycle);
      if (row < 0 || run.spans.block[row] !== run.spans.block[span]) continue;
      const [name] = run.activities[run.spans.activity[row]];
      if (name !== "barrier")
        add(
          `${run.warpName(row)} has not come to the barrier: ${name}, at ${run.where(run.spans.pc[row])}`,
          run.spans.start[row],
          run.spans.start[row] + run.spans.length[row],
          name,
          other,
        );
    }
  }

  #pipes(slot, cycle, add) {
    const { pipes, run } = this;
    for (const row of this.piping.at(cycle)) {
      if (pipes.core[row] !== slot.core) continue;
      const other = run.slots.find((one) => one.core === slot.core && one.warp === pipes.warp[row]);
      add(
        `${run.machine.pipes[pipes.pipe[row]]} has taken an instruction of ${other?.label ?? `warp ${slot.core}:${pipes.warp[row]}`} and is free again in cycle ${pipes.until[row]}`,
        pipes.time[row],
        pipes.until[row],
        run.machine.config["pipes.owner"] === "core" ? "alu.count" : `pipes.${run.machine.pipes[pipes.pipe[row]].split(" ")[0]}_lanes`,
        other,
      );
    }
  }

  #accesses(slot, cycle, name, add) {
    const run = this.run,
      own = name === "drain" || name === "membar";
    const rows = this.traffic.inFlight
      .at(cycle)
      .filter((row) => this.traffic.ofCore(row, slot.core) && (!own || run.spans.warp[this.traffic.accesses[row].span] === slot.warp));
    for (const row of rows.slice(0, 6)) {
      const { span, start, done } = this.traffic.accesses[row];
      add(
        `${own ? "" : `${run.warpName(span)}: `}${run.where(run.spans.pc[span])} is in flight since cycle ${start}, until ${done}`,
        start,
        done + 1,
        "lsu",
      );
    }
    if (rows.length > 6) add(`and ${rows.length - 6} more accesses`, cycle, cycle + 1, "lsu.queue");
  }
}
