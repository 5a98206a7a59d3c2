// What is on its way in a cycle: accesses in the load/store units, lines that were missed, lookups, channels, ALUs.

import { after } from "explorer/search.js";
import { el, grouped, term } from "explorer/dom.js";

const MOST = 10;

export class CacheView {
  constructor(host, view, app) {
    Object.assign(this, { view, app, run: view.run, causes: view.causes, traffic: view.causes.traffic });
    this.body = el("div.caches");
    host.append(this.body);
    this.ends = this.#sums();
  }

  /** By cache and outcome: the times of its lookups, in order. */
  #sums() {
    const timesOf = (table) => {
      const { time, rows } = this.run.tables[table],
        found = Object.fromEntries(this.run.events[table].outcome.words.map((word) => [word, []]));
      for (let row = 0; row < rows; row++) found[this.run.word(table, "outcome", row)].push(time[row]);
      return found;
    };
    return { l1: timesOf("requests"), l2: timesOf("l2") };
  }

  draw() {
    const { view, run, traffic } = this,
      cycle = view.cycle,
      { serves } = traffic;
    const cores = [...new Set(run.slots.map((slot) => slot.core))];
    const parts = [this.#rates("l1", "L1 and texture caches"), run.machine.config["l2.bytes"] ? this.#rates("l2", "L2") : null];
    for (const core of cores.slice(0, 8)) parts.push(this.#core(core, cycle));
    const served = traffic.serving.at(cycle);
    const rows = served.slice(0, MOST).map((row) => {
      const channel = traffic.channelOf(serves.line[row]);
      return this.#bar(
        `${channel < 0 ? "" : `channel ${channel}: `}${traffic.lineName(serves.line[row])}, for core ${serves.core[row]}`,
        serves.time[row],
        serves.done[row] + 1,
      );
    });
    const channels =
      run.machine.config["memory.kind"] === "dram" ? run.machine.config["dram.channels"] : run.machine.config["memory.data_channels"];
    parts.push(
      el(
        "section",
        {},
        el(
          "h3",
          {},
          term("memory channel", "memory"),
          el("span.quiet", {}, ` ${served.length} requests, ${channels} channel${channels > 1 ? "s" : ""}`),
        ),
        rows,
        more(served.length),
      ),
    );
    this.body.replaceChildren(...parts.filter(Boolean));
  }

  #rates(name, title) {
    const count = (outcome) => after(this.ends[name][outcome], this.view.cycle),
      [hit, miss, merged, store, passed] = ["hit", "miss", "merged", "store", "passed on"].map(count);
    const all = hit + miss + merged,
      looks = this.app.paint.lookups;
    if (!all && !store && !passed) return el("section", {}, el("h3", {}, term(name, title)), el("p.quiet", {}, "no accesses so far"));
    const part = (count, look) => el("i", { style: `flex:${count};background:${look.css}` });
    return el(
      "section",
      {},
      el("h3", {}, term(name, title)),
      el("div.rates", {}, part(hit, looks.hit), part(merged, looks.merged), part(miss, looks.miss), part(store + passed, looks.store)),
      el(
        "p.quiet",
        {},
        term("hit", `${grouped(hit)} hits`),
        `, `,
        term("merged", `${grouped(merged)} merged`),
        `, `,
        term("miss", `${grouped(miss)} misses`),
        `, ${grouped(store + passed)} passed on`,
        all ? `: ${((100 * hit) / all).toFixed(1)} % of loads hit` : "",
      ),
    );
  }

  #core(core, cycle) {
    const { run, causes, traffic, view } = this;
    const open = traffic.inFlight
      .at(cycle)
      .map((row) => traffic.accesses[row])
      .filter(({ span }) => run.spans.core[span] === core);
    const missing = traffic.missing(core, cycle);
    const pipes = causes.piping.at(cycle).filter((row) => causes.pipes.core[row] === core);
    const accesses = open.slice(0, MOST).map(({ span, start, done }) => {
      const slot = run.slots.find((one) => one.core === core && one.warp === run.spans.warp[span]);
      return this.#bar(`${slot.label}: ${run.where(run.spans.pc[span])}`, start, done + 1, () => view.select(slot));
    });
    const lines = missing
      .slice(0, MOST)
      .map(({ line, since, until, waiters }) => this.#bar(`${traffic.lineName(line)}, ${waiters} waiting`, since, until + 1));
    const alus = pipes.map((row) =>
      el(
        "span.pending",
        { style: `--chip:${this.app.paint.warps[causes.pipes.warp[row] % 8].css}` },
        `${run.machine.pipes[causes.pipes.pipe[row]]}: w${causes.pipes.warp[row]}`,
      ),
    );
    return el(
      "section",
      {},
      el("h3", {}, term("core", `core ${core}`)),
      el("p", {}, alus.length ? alus : el("span.quiet", {}, "no ALU is taken")),
      el(
        "h4",
        {},
        term("lsu", "load/store and texture unit"),
        el("span.quiet", {}, ` ${open.length} of ${run.machine.config["lsu.queue"]} accesses`),
      ),
      accesses,
      more(open.length),
      el(
        "h4",
        {},
        term("mshr", "lines in flight"),
        el("span.quiet", {}, ` ${missing.length} of ${run.machine.config["l1.mshrs"]} MSHRs`),
      ),
      lines,
      more(missing.length),
    );
  }

  /** Something that takes from one cycle to another, with how far it has come. */
  #bar(text, from, to, act = () => {}) {
    const done = Math.min(1, (this.view.cycle + 1 - from) / Math.max(1, to - from));
    return el(
      "button.cause",
      {
        click: () => {
          act();
          this.app.go(from, this.view);
        },
      },
      el("span", {}, text),
      el("span.when", {}, `${from} to ${to - 1}`, el("i", { style: `width:${(done * 100).toFixed(0)}%` })),
    );
  }
}

function more(count) {
  return count > MOST ? el("p.quiet", {}, `and ${count - MOST} more`) : null;
}
