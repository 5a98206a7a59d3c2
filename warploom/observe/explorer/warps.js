// The warps of a run in a cycle, and the chosen one: why it does what it does, its scoreboard, its divergence.

import { boxes, counted, el, term } from "explorer/dom.js";
import { swatch } from "explorer/paint.js";
import { Registers } from "explorer/registers.js";

const MOST_WARPS = 64;

export class Warps {
  constructor(host, view, app) {
    Object.assign(this, { view, app, run: view.run });
    this.list = el("div.warps");
    this.detail = el("div.detail");
    host.append(this.list, this.detail);
    this.registers = new Registers(host, view, app);
  }

  draw() {
    const { view } = this;
    this.#table();
    const span = view.slot ? this.run.spanAt(view.slot, view.cycle) : -1;
    this.detail.replaceChildren(...(span < 0 ? [this.#nobody()] : this.#details(span)));
    this.registers.draw(span);
  }

  /** The table is made once; only rows of warps that do something else than before are made anew. */
  #table() {
    const { run, view } = this;
    if (!this.rows) {
      const head = el(
        "tr",
        {},
        el("th"),
        el("th", {}, term(run.sequencer ? "core" : "warp")),
        el("th", {}, term("block")),
        el("th", {}, "state"),
        el("th", {}, "since"),
        el("th", {}, term("mask", "lanes")),
        el("th", {}, "instruction"),
      );
      this.rows = run.slots.slice(0, MOST_WARPS).map((slot) => ({ slot, key: "", element: el("tr") }));
      this.list.append(
        el(
          "table.list",
          {},
          el("thead", {}, head),
          el(
            "tbody",
            {},
            this.rows.map(({ element }) => element),
          ),
        ),
      );
      if (run.slots.length > MOST_WARPS)
        this.list.append(el("p.quiet", {}, `and ${run.slots.length - MOST_WARPS} more warp slots; choose one in the picture`));
    }
    for (const row of this.rows) {
      const span = run.spanAt(row.slot, view.cycle),
        chosen = row.slot === view.slot;
      const key = `${span} ${chosen ? view.lane : ""} ${this.app.paint.dark}`;
      if (key === row.key) continue;
      row.key = key;
      const fresh = this.#row(row.slot, span, chosen);
      row.element.replaceWith(fresh);
      row.element = fresh;
      if (chosen && this.followed !== row.slot) {
        this.followed = row.slot;
        const { offsetTop: top, offsetHeight: tall } = fresh,
          head = tall;
        if (top < this.list.scrollTop + head) this.list.scrollTop = top - head;
        else if (top + tall > this.list.scrollTop + this.list.clientHeight) this.list.scrollTop = top + tall - this.list.clientHeight;
      }
    }
  }

  #row(slot, span, chosen) {
    const { run, view } = this;
    const attributes = {
      click: () => {
        view.select(slot);
        this.app.redraw();
      },
      "aria-selected": chosen,
      role: "row",
    };
    if (span < 0)
      return el(`tr.none${chosen ? ".chosen" : ""}`, attributes, el("td"), el("td", {}, slot.label), el("td", { colspan: 5 }, "no warp"));
    const { activity, block, rank, pc } = run.spans,
      [name] = run.activities[activity[span]];
    return el(
      `tr${chosen ? ".chosen" : ""}`,
      attributes,
      el("td", {}, swatch(this.app.paint.activity(run, activity[span]))),
      el("td", {}, slot.label),
      el("td", {}, run.sequencer ? `${block[span]}` : `${block[span]}.${rank[span]}`),
      el("td", {}, term(run.sequencer ? `state ${name}` : name, name)),
      el("td.number", {}, String(run.stretch(slot, span)[0])),
      el("td", {}, boxes(run.laneStates(span), chosen ? view.lane : -1)),
      el("td.code", {}, run.program.instructions[pc[span]]?.text ?? `PC ${pc[span]}`),
    );
  }

  #nobody() {
    const { run, view } = this;
    if (!view.slot) return el("p.quiet", {}, "No warp has run.");
    const first = run.spans.start[view.slot.first];
    return el(
      "p.quiet",
      {},
      view.cycle < first
        ? `${view.slot.label} is empty until cycle ${first}.`
        : `No warp runs in ${view.slot.label} in cycle ${view.cycle}.`,
    );
  }

  #details(span) {
    const { run, view, app } = this,
      { activity, pc } = run.spans,
      [from, to] = run.stretch(view.slot, span);
    const [name, , meaning] = run.activities[activity[span]];
    const lead = el(
      "p.lead",
      {},
      swatch(app.paint.activity(run, activity[span]), 14),
      el("b", {}, `${view.slot.label}, ${name}`),
      `: ${meaning}`,
      el(
        "span.quiet",
        {},
        to > from + 1 ? `, cycles ${from} to ${to - 1} (${counted(to - from, "cycle")}, now the ${ordinal(view.cycle - from + 1)})` : "",
      ),
    );
    const found = [lead, el("p.code", {}, run.where(pc[span]))];
    if (view.causes) {
      const links = view.causes.chain(view.slot, view.cycle);
      if (links.length > 1)
        found.push(
          el("h3", {}, term("chain of causes")),
          el(
            "ol.chain",
            {},
            links.map((link) => this.#link(link)),
          ),
        );
      found.push(...this.#scoreboard());
      found.push(...this.#paths());
    }
    return found;
  }

  /** A cause: a sentence, and a bar that says when it holds; a click leads to its first cycle. */
  #link({ text, from, to, term: word, slot }) {
    const { view, app } = this;
    const now = view.cycle,
      when = to > from + 1 ? `${from} to ${to - 1}` : `${from}`;
    const act = () => {
      if (slot) view.select(slot);
      app.go(slot ? view.cycle : Math.max(0, from), view);
    };
    const share = to > from ? Math.min(1, Math.max(0, (now + 1 - from) / (to - from))) : 1;
    return el(
      "li",
      {},
      el(
        "button.cause",
        { click: act, title: slot ? "look at this warp" : `go to cycle ${from}` },
        el("span", { "data-term": word || undefined }, text),
        el("span.when", {}, when, el("i", { style: `width:${(share * 100).toFixed(0)}%` })),
      ),
    );
  }

  #scoreboard() {
    const { run, view } = this,
      entries = view.causes.pending(view.slot, view.cycle);
    const chips = entries.map(({ group, span, until }) =>
      el("span.pending", { title: run.where(run.spans.pc[span]) }, el("b", {}, run.program.statements ? run.where(run.spans.pc[span]) : view.causes.groupName(group)), ` until ${until - 1}`),
    );
    return [el("h3", {}, term("scoreboard")), el("p", {}, chips.length ? chips : el("span.quiet", {}, "nothing is pending"))];
  }

  /** The lanes that wait while others run: drawn as the stack, or the groups, that they are. */
  #paths() {
    const { run, view, app } = this,
      table = run.tables.paths;
    if (!table) return [];
    if (view.cycle >= run.run.until)
      return [el("h3", {}, term("paths")), el("p.quiet", {}, `The recording was full in cycle ${run.run.until}.`)];
    const rows = run.paths(view.slot, view.cycle);
    const group = { stack: "stack", mask: "mask stack", ready: "ready group", "at reconvergence": "reconvergence group", "whole warp": "whole-warp group" };
    const drawn = rows.reverse().map((row) => {
      const kind = app.common.paths[table.kind[row]],
        pc = table.pc[row],
        reconvergence = table.reconvergence_pc[row];
      return el("li", {}, term(group[kind] ?? "barrier group"), boxes(run.maskOf(table, row).map((on) => (on ? "active" : ""))), el("span", {}, this.#path(kind, pc, reconvergence)));
    });
    return [
      el("h3", {}, term("paths", "inactive paths")),
      drawn.length ? el("ol.paths", {}, drawn) : el("p.quiet", {}, "none: no lane has diverged"),
    ];
  }

  /** What the lanes of a path wait for, and where they go on. kind: one of PATHS in recording.py. */
  #path(kind, pc, reconvergence) {
    const where = this.run.where(pc);
    if (kind === "whole warp") return `wait for the others of the warp at ${where}`;
    const goes = pc >= 0 ? `continue at ${where}` : "restore these lanes";
    if (kind === "stack" && reconvergence >= 0) return `${goes}, reconverge at ${this.run.where(reconvergence)}`;
    if (kind === "barrier") return `${goes}, wait at barrier ${reconvergence}`;
    if (kind === "core barrier") return `${goes}, wait at barrier ${reconvergence} across cores`;
    return kind === "grid barrier" ? `${goes}, wait at the barrier of the grid` : goes;
  }
}

function ordinal(number) {
  const ending = number % 100 > 10 && number % 100 < 14 ? "th" : ["th", "st", "nd", "rd"][number % 10] || "th";
  return `${number}${ending}`;
}
