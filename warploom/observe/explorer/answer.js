// The first screen: what limits the run, in sentences, and the bars behind them. Each sentence leads to where it shows longest.

import { el, grouped, term } from "explorer/dom.js";
import { launchTable } from "explorer/launches.js";
import { swatch } from "explorer/paint.js";
import { numberOf } from "explorer/line_numbers.js";

const percent = (share) => `${Math.floor(100 * share + 1e-9)} %`;

export class Answer {
  constructor(host, app) {
    Object.assign(this, { app, shown: 0 });
    this.body = el("div.answers");
    this.fold = el("button.small", { click: () => this.toggle(), "aria-expanded": "true", "data-hint": "show or hide what limits the run (a)" }, "hide");
    this.element = el("section.panel.answer", { "aria-label": "what limits the run" }, el("header", {}, el("h2", {}, "What limits it"), this.lead = el("span.first"), this.fold), this.body);
    host.append(this.element);
    this.views = app.views.filter((view) => answerOf(app, view).findings);
    this.element.hidden = !this.views.length;
    this.#build();
  }

  toggle() {
    const open = this.element.classList.toggle("folded");
    this.fold.textContent = open ? "show" : "hide";
    this.fold.setAttribute("aria-expanded", String(!open));
    this.app.redraw();
  }

  /** To where the first finding of the run that leads shows longest. */
  first() {
    const view = this.app.leader,
      finding = answerOf(this.app, view).findings?.[0];
    if (finding) show(this.app, view, finding);
  }

  #build() {
    const several = this.views.length > 1;
    this.body.replaceChildren(...this.views.map((view) => this.#run(view, several)));
    const first = this.views.map((view) => answerOf(this.app, view).findings[0]?.what).find(Boolean);
    this.lead.textContent = first ?? "";
    const launches = launchTable(this.app.common.launches);
    if (launches) this.body.prepend(launches);
    if (several) this.body.prepend(el("p.difference", {}, difference(this.app, this.views)));
  }

  #run(view, several) {
    const { findings, speed_of_light: light, occupancy, stalls, lanes } = answerOf(this.app, view);
    const list = findings.length
      ? el("ol.findings", {}, findings.map((finding) => this.#finding(view, finding)))
      : el("p", {}, "No rule finds fault with this run.");
    return el(
      "div.answerrun",
      {},
      el("div.sentences", {}, several ? el("h3", {}, view.run.name) : null, list),
      el("div", {}, el("h3", {}, "speed of light"), lightTable(light), occupancy ? el("p.quiet", {}, el("b", {}, "occupancy "), occupancy.text) : null),
      el("div", {}, el("h3", {}, "where the time goes"), this.#stalls(view, stalls), el("h3", {}, "lanes"), lanesTable(lanes)),
    );
  }

  #finding(view, finding) {
    return el(
      "li",
      {},
      el("button.finding", { click: () => show(this.app, view, finding), "data-hint": `${finding.rule}: go to where it shows longest` }, finding.what),
      el("p.quiet", {}, `Try: ${finding.try}`, finding.rows.some(Boolean) ? lines(this.app, view, finding) : null),
      whatIf(finding),
    );
  }

  /** A bar of all reasons, and a table of the largest with the same colours. */
  #stalls(view, stalls) {
    const { paint } = this.app,
      whole = stalls.reduce((sum, [, cycles]) => sum + cycles, 0) || 1;
    const number = (name) => view.run.activities.findIndex(([known]) => known === name);
    this.bars ??= [];
    const host = el("div");
    const draw = () => {
      const look = this.app.paint ?? paint;
      host.replaceChildren(
        el(
          "div.stalls",
          { role: "img", "aria-label": stalls.map(([name, cycles]) => `${name} ${percent(cycles / whole)}`).join(", ") },
          stalls.map(([name, cycles]) => el("i", { style: `width:${(100 * cycles) / whole}%;background:${look.activity(view.run, number(name)).css}`, title: `${name}: ${grouped(cycles)}` })),
        ),
        el("table.light", {}, el("tbody", {}, stalls.slice(0, 5).map(([name, cycles]) => el("tr", {}, el("td", {}, swatch(look.activity(view.run, number(name))), " ", term(view.run.sequencer ? `state ${name}` : name, name)), el("td.number", {}, percent(cycles / whole)))))),
      );
    };
    this.bars.push(draw);
    return host;
  }

  /** Colours have changed, or are there for the first time. */
  draw() {
    if (this.drawn === this.app.paint) return;
    this.drawn = this.app.paint;
    for (const draw of this.bars ?? []) draw();
  }
}

/** What changes of the machine gave; where nobody has tried them, which they are and the command that does. */
function whatIf({ what_if: trials, changes }) {
  if (trials.length) return el("ul.trials", {}, trials.map(({ change, told }) => el("li", {}, el("code", {}, change), `: ${told}`)));
  if (!changes.length) return null;
  const named = changes.flatMap((change) => [", ", el("code", {}, change)]).slice(1);
  return el("details.trials", {}, el("summary", {}, "what would it give?"), el("span", {}, el("code", {}, "warploom explore FILE --what-if"), " runs it once more with each of ", named, ", and writes here what that gives."));
}

/** What is known of a view's run; {} where nothing was counted. */
function answerOf(app, view) {
  return app.common.answers?.[view.index] ?? {};
}

function lines(app, view, finding) {
  return [...new Set(finding.rows)]
    .filter(Boolean)
    .slice(0, 4)
    .map((line) => el("button.small.toline", { click: () => toLine(app, view, line) }, `line ${numberOf(view.run.program, line)}`));
}

/** A line of a view's source, which is shown. */
function toLine(app, view, line) {
  if (app.source !== app.sourceOf(view)) view.select(view.slot);
  app.showSource();
  app.source.reveal(line);
}

function lightTable(rates) {
  const row = ({ name, achieved, possible, unit, share }) =>
    el(
      "tr",
      { title: `${Number(achieved.toPrecision(3))} of ${Number(possible.toPrecision(4))} ${unit} a cycle` },
      el("th", {}, name),
      el("td.bar", {}, el("i", { style: `width:${(100 * share).toFixed(1)}%` })),
      el("td.number", {}, percent(share)),
    );
  return el("table.light", { "aria-label": "achieved of what is possible" }, el("tbody", {}, rates.map(row)));
}

function lanesTable(lanes) {
  const row = ([name, share]) => (share > 1e-12 ? el("tr", {}, el("th", {}, name), el("td.bar", {}, el("i", { style: `width:${(100 * share).toFixed(1)}%` })), el("td.number", {}, percent(share))) : null);
  return el("table.light", {}, el("tbody", {}, Object.entries(lanes).map(row)));
}

/** Of two runs: which is faster, by how much, and what they differ in most. */
function difference(app, views) {
  const [one, other] = views,
    [slow, fast] = one.run.cycles >= other.run.cycles ? [one, other] : [other, one];
  if (slow.run.cycles === fast.run.cycles) return `Both runs take ${grouped(one.run.cycles)} cycles.`;
  const spent = (view) => new Map(answerOf(app, view).stalls ?? []);
  const [before, after] = [spent(slow), spent(fast)];
  const names = [...new Set([...before.keys(), ...after.keys()])];
  const gain = (name) => (before.get(name) ?? 0) - (after.get(name) ?? 0);
  const most = names.reduce((best, name) => (gain(name) > gain(best) ? name : best), names[0]);
  const times = (slow.run.cycles / fast.run.cycles).toFixed(2);
  const why = most && gain(most) > 0 ? `, most of it in ${most}: ${grouped(before.get(most) ?? 0)} warp-cycles against ${grouped(after.get(most) ?? 0)}` : "";
  return `${fast.run.name} is ${times} times as fast: ${grouped(fast.run.cycles)} cycles against ${grouped(slow.run.cycles)}${why}.`;
}

/** Go to the longest stretch in which a finding shows, in the part of the run that is loaded, with the chain of causes open. */
export function show(app, view, finding) {
  const found = longest(view.run, new Set(finding.waits), new Set(finding.reasons)) ?? longest(view.run, new Set(finding.instructions), new Set());
  if (!found) return app.say("not in this part of the run");
  land(app, view, found);
}

/** Go to the longest wait of a line; the next longest where the page is in that one already. Returns whether there is any. */
export function showWait(app, view, pcs) {
  const { run } = view;
  const all = stretches(run, pcs, new Set()).filter(({ row }) => run.spans.activity[row] !== run.issueActivity);
  if (!all.length) return false;
  all.sort((one, other) => other.to - other.from - (one.to - one.from));
  const at = all.findIndex(({ slot, from, to }) => slot === view.slot && view.cycle >= from && view.cycle < to);
  land(app, view, all[(at + 1) % Math.min(all.length, 32)]);
  return true;
}

function land(app, view, { slot, from, to }) {
  view.select(slot);
  view.panes[0].show(view.run.sequencer ? view.panes[0].tabs[0].name : "warps");
  app.go(from + ((to - from) >> 1), view);
  view.timeline.revealSlot(slot);
  app.redraw();
}

function longest(run, pcs, reasons) {
  let best = null;
  for (const one of stretches(run, pcs, reasons)) if (!best || one.to - one.from > best.to - best.from) best = one;
  return best;
}

/** The stretches of all slots at some instructions, for some reasons (none: any): [{slot, row, from, to}]. */
function stretches(run, pcs, reasons) {
  const { start, length, activity, pc } = run.spans,
    wanted = run.activities.map(([name]) => !reasons.size || reasons.has(name)),
    found = [];
  for (const slot of run.slots) {
    let open = null;
    for (let row = slot.first; row < slot.last; row++) {
      if (!wanted[activity[row]] || !pcs.has(pc[row])) {
        open = null;
        continue;
      }
      if (open && run.continues(slot, row)) open.to = start[row] + length[row];
      else found.push((open = { slot, row, from: start[row], to: start[row] + length[row] }));
    }
  }
  return found;
}
