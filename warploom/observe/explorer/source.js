// The source with its micro-ops: where the cycles went, where every warp is, and breakpoints.

import { showWait } from "explorer/answer.js";
import { counted, el, grouped } from "explorer/dom.js";
import { numberOf } from "explorer/line_numbers.js";

const COMMENTS = { c: /\/[/*]/, cu: /\/[/*]/, cubin: /\/[/*]/, cl: /\/[/*]/, h: /\/[/*]/, py: /#/, assembly: /;|\/\// };

export class SourceView {
  /** views: those of the runs of this source's program. */
  constructor(host, app, views) {
    Object.assign(this, { app, views, host, run: views[0].run, breakpoints: new Set(), micro: false, followed: -1 });
    const program = this.run.program;
    this.ofLine = new Map();
    program.instructions.forEach((_, pc) => {
      const line = this.run.lineOf(pc);
      if (!this.ofLine.has(line)) this.ofLine.set(line, []);
      this.ofLine.get(line).push(pc);
    });
    this.heat = views.map((view) => heatOf(view.run));
    this.comment = COMMENTS[program.path.split(".").pop()] || COMMENTS.assembly;
    const lines = program.source.length ? program.source : program.instructions.map((instruction) => instruction.text);
    this.button = el("button.small", { click: () => this.toggleMicro(), title: "show micro-ops (u)" }, "micro-ops");
    this.body = el("div.lines", { role: "listbox", "aria-label": "source" });
    this.rows = lines.map((text, index) => this.#row(text, index + 1));
    this.body.append(...this.rows.map((row) => row.element));
    host.append(
      el(
        "header",
        {},
        el("h2", {}, program.path.split("/").pop()),
        el("span.quiet", {}, counted(program.instructions.length, "instruction")),
        this.button,
      ),
      this.body,
    );
  }

  toggleMicro() {
    this.micro = !this.micro;
    this.body.classList.toggle("micro", this.micro);
    this.button.setAttribute("aria-pressed", this.micro);
  }

  /** Set or clear a breakpoint at a line that has an instruction. */
  toggleBreakpoint(line) {
    const row = this.rows[line - 1];
    if (!row?.pcs.length) return;
    if (!this.breakpoints.delete(line)) this.breakpoints.add(line);
    row.element.classList.toggle("stop", this.breakpoints.has(line));
    this.app.transport.forget();
    this.app.redraw();
  }

  /** The instructions at which playing stops. */
  stops() {
    return new Set([...this.breakpoints].flatMap((line) => this.ofLine.get(line) || []));
  }

  #row(text, line) {
    const pcs = this.ofLine.get(line) || [];
    this.most ??= Math.max(...this.heat.flatMap((heat) => [...this.ofLine.values()].map((all) => spentAt(heat, all))));
    const most = this.most;
    const bars = this.heat.map((heat) => {
      const spent = spentAt(heat, pcs);
      return el("b", { style: `width:${most ? Math.max(spent ? 3 : 0, (100 * spent) / most).toFixed(1) : 0}%` });
    });
    const here = el("span.here"),
      number = numberOf(this.run.program, line);
    const marks = (this.run.run.marks || []).filter(([row]) => row === line).map(([, said]) => said);
    const micro = pcs.flatMap((pc) => {
      const instruction = this.run.program.instructions[pc],
        written = text.includes(instruction.text.trim().split(" ")[0]), // the line is the instruction itself, not a statement of a source
        uops = instruction.uops.map((uop) => el("code", { "data-term": operation(uop) }, uop));
      return written ? uops : [el("code.instruction", {}, colourful(instruction.text, this.app.common.instructions, this.comment)), ...uops];
    });
    const element = el(
      `div.line${pcs.length ? ".code" : ""}${marks.length ? ".found" : ""}`,
      { role: "option", "data-line": line, title: marks.length ? marks.join("\n") : undefined },
      el(
        "button.number",
        {
          click: () => this.toggleBreakpoint(line),
          tabindex: pcs.length ? 0 : -1,
          "data-term": pcs.length ? "breakpoint" : undefined,
          "aria-label": number ? `line ${number}` : text,
        },
        number ? String(number) : "",
      ),
      el(
        `span.heat${bars.length > 1 ? ".two" : ""}`,
        pcs.length ? { mouseenter: (event) => this.#explain(event, pcs), mouseleave: () => this.app.hint.hide() } : {},
        bars,
      ),
      here,
      el("pre", { click: (event) => this.#choose(pcs, event), style: `--indent:${text.search(/\S|$/)}ch` }, colourful(text || " ", pcs.length ? this.app.common.instructions : {}, this.comment)),
      micro.length ? el("div.uops", {}, micro) : null,
    );
    return { element, here, pcs, last: "" };
  }

  /** A click on the text: to the line's longest wait, and again to the next longest; where nothing waits, or with Shift, to its next issue. */
  #choose(pcs, event) {
    if (!pcs.length) return;
    const wanted = new Set(pcs),
      view = this.app.leader;
    if (event.shiftKey || view.run.sequencer || !showWait(this.app, view, wanted)) this.app.transport.toInstruction(wanted);
  }

  /** Bring a line into view and mark it for a moment; whether there is one. */
  reveal(line) {
    const row = this.rows[line - 1];
    if (!row) return false;
    this.body.scrollTop = row.element.offsetTop - this.body.clientHeight / 2;
    row.element.classList.add("shown");
    setTimeout(() => row.element.classList.remove("shown"), 1500);
    return true;
  }

  /** To a line, and there to its longest wait; whether there is such a line. */
  land(line) {
    if (!this.reveal(line)) return false;
    this.#choose(this.rows[line - 1].pcs, { shiftKey: false });
    return true;
  }

  #explain(event, pcs) {
    const lines = [];
    this.heat.forEach((heat, index) => {
      if (this.heat.length > 1) lines.push(`${this.views[index].run.name}:`);
      for (const pc of pcs) {
        if (pcs.length > 1) lines.push(this.run.program.instructions[pc].text);
        const issues = heat.issues[pc],
          mean = issues ? heat.lanes[pc] / issues : 0;
        lines.push(`${counted(issues, "issue")}, ${mean.toFixed(1)} active lanes on average`, `${counted(heat.total[pc], "warp-cycle")}:`);
        const reasons = [...heat.reasons[pc].entries()].filter(([, cycles]) => cycles).sort((one, other) => other[1] - one[1]);
        lines.push(
          ...reasons.map(([name, cycles]) => `  ${grouped(cycles)}  ${name}`),
          ...accessLines(this.views[index].run.run.profile[pc], issues),
        );
      }
    });
    this.app.hint.show(event.clientX, event.clientY, lines.join("\n"));
  }

  /** Another piece of a run has been loaded. */
  reset() {
    for (const row of this.rows) row.last = "";
  }

  draw() {
    const warps = new Map(); // by line: the warps there
    let chosen = -1;
    this.views.forEach((view, index) => {
      for (const slot of view.run.slots) {
        const span = view.run.spanAt(slot, view.cycle);
        if (span < 0) continue;
        const pc = view.run.spans.pc[span],
          line = this.run.lineOf(pc);
        if (!line) continue;
        if (!warps.has(line)) warps.set(line, []);
        warps.get(line).push({ view, slot, span, index });
        if (slot === view.slot && view === this.app.leader) chosen = line;
      }
    });
    this.rows.forEach((row, index) => {
      const found = warps.get(index + 1) || [];
      const key = found.map(({ slot, span, index: run }) => `${run}:${slot.number}:${span}`).join() + (index + 1 === chosen ? "!" : "");
      if (key === row.last) return;
      row.last = key;
      row.element.classList.toggle("current", index + 1 === chosen);
      row.element.classList.toggle("busy", found.length > 0);
      row.element.setAttribute("aria-selected", index + 1 === chosen);
      row.here.replaceChildren(...this.#chips(found));
    });
    this.chosen = chosen;
    if (chosen !== this.followed && chosen > 0) {
      this.followed = chosen;
      const top = this.rows[chosen - 1].element.offsetTop;
      if (top < this.body.scrollTop + 20 || top > this.body.scrollTop + this.body.clientHeight - 60)
        this.body.scrollTop = top - this.body.clientHeight / 2;
    }
  }

  /** The warps at a line: one by one where there is room, else how many. */
  #chips(found) {
    const name = ({ slot, index }) => (this.views.length > 1 ? "AB"[index] : "") + slot.label.replace("core ", "c").replace("warp ", "");
    const chip = (warp, label, hint) => {
      const look = this.app.paint.activity(warp.view.run, warp.view.run.spans.activity[warp.span]);
      return el(
        "button.chip",
        {
          style: `--chip:${look.css}`,
          tabindex: -1,
          "data-hint": hint,
          click: () => {
            warp.view.select(warp.slot);
            this.app.redraw();
          },
        },
        label,
      );
    };
    const several = (warps) => {
      const label = this.views.length > 1 ? `${"AB"[warps[0].index]}×${warps.length}` : `${warps.length} warps`;
      return chip(warps[0], label, warps.slice(0, 16).map(says).join("\n"));
    };
    const says = (warp) => `${name(warp)}: ${warp.view.run.activities[warp.view.run.spans.activity[warp.span]][0]}`;
    if (found.map((warp) => `${name(warp)}  `).join("").length <= 9) return found.map((warp) => chip(warp, name(warp), says(warp)));
    // The warps of one run are counted, not those of both together.
    return this.views.flatMap((_, run) => {
      const mine = found.filter(({ index }) => index === run);
      return mine.length > 1 ? [several(mine)] : mine.map((warp) => chip(warp, name(warp), says(warp)));
    });
  }
}

function spentAt(heat, pcs) {
  return pcs.reduce((sum, pc) => sum + heat.total[pc], 0);
}

/** Where the warp-cycles went, by instruction: {total, issues, lanes, reasons}. */
function heatOf(run) {
  if (run.run.profile[0]?.spent) return heatOfProfile(run);
  const { pc, activity, length, rows, mask, mask_high: high } = run.spans,
    count = run.program.instructions.length;
  const total = new Float64Array(count),
    issues = new Float64Array(count),
    lanes = new Float64Array(count);
  const reasons = Array.from({ length: count }, () => new Map());
  for (let row = 0; row < rows; row++) {
    const at = pc[row];
    if (at < 0 || at >= count) continue;
    total[at] += length[row];
    const name = run.activities[activity[row]][0];
    reasons[at].set(name, (reasons[at].get(name) || 0) + length[row]);
    if (activity[row] === run.issueActivity) {
      issues[at]++;
      lanes[at] += ones(mask[row]) + (high ? ones(high[row]) : 0);
    }
  }
  return { total, issues, lanes, reasons };
}

/** The same of the whole run, from what its machine has counted. */
function heatOfProfile(run) {
  const { profile } = run.run,
    of = (name) => Float64Array.from(profile, (row) => row[name]);
  const total = Float64Array.from(profile, (row) => row.spent.reduce((one, other) => one + other, 0));
  const reasons = profile.map((row) => new Map(row.spent.map((cycles, number) => [run.activities[number][0], cycles])));
  return { total, issues: of("issues"), lanes: of("lanes"), reasons };
}

/** What the accesses and branches of an instruction came to, as lines of text. */
function accessLines(profile, issues) {
  const found = [],
    each = (count) => (count / profile.accesses).toFixed(1);
  if (profile?.diverged)
    found.push(`lanes disagreed in ${grouped(profile.diverged)} of ${counted(issues, "branch").replace(/branchs$/, "branches")}`);
  if (!profile?.accesses) return found;
  if (profile.passes) found.push(`${each(profile.passes)} passes of shared memory per access; 1 without bank conflicts`);
  if (profile.transactions)
    found.push(
      `${each(profile.transactions)} transactions per access, ${each(profile.sectors)} sectors where ${each(profile.sectors_needed)} would do`,
    );
  if (profile.hits + profile.misses)
    found.push(`${grouped(profile.hits)} transactions hit the first cache, ${grouped(profile.misses)} missed it`);
  return found;
}

/** The operation of a micro-op as the listing writes it: `@s3 load.b8 v4, [v5]`. */
function operation(text) {
  return text.match(/^(?:@\S+ )?([a-z_0-9]+)/)?.[1];
}

function ones(word) {
  let count = 0;
  for (let rest = word >>> 0; rest; rest = (rest & (rest - 1)) >>> 0) count++;
  return count;
}

/** A line with its comment set apart, and with its mnemonic explained. known: the instructions of the program. begins: what a comment begins with. */
function colourful(text, known, begins) {
  const at = text.search(begins),
    code = at < 0 ? text : text.slice(0, at),
    comment = at < 0 ? [] : [el("span.comment", {}, text.slice(at))];
  const word = code.match(/[^\s:]+(?=\s|$)/g)?.find((one) => Object.hasOwn(known, one));
  if (!word) return [code, ...comment];
  const place = code.search(new RegExp(`(^|\\s)${word.replace(/[^\w]/g, "\\$&")}(\\s|$)`)),
    from = code.indexOf(word, place);
  const [usage, meaning] = known[word];
  return [code.slice(0, from), el("span.mnemonic", { "data-hint": `${usage}: ${meaning}` }, word), code.slice(from + word.length), ...comment];
}
