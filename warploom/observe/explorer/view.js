// One run on the page: its picture of lanes, its panes, and what is chosen in it.

import { CacheView } from "explorer/caches.js";
import { Causes } from "explorer/causes.js";
import { Diagram } from "explorer/diagram.js";
import { el, grouped, term } from "explorer/dom.js";
import { ImageView } from "explorer/images.js";
import { MemoryView, SharedView } from "explorer/memory.js";
import { NumbersView } from "explorer/numbers.js";
import { swatch } from "explorer/paint.js";
import { PictureView } from "explorer/picture.js";
import { split } from "explorer/split.js";
import { Timeline } from "explorer/timeline.js";
import { Warps } from "explorer/warps.js";

export class RunView {
  constructor(app, run, index, pieces) {
    Object.assign(this, { app, run, index, pieces, cycle: run.first, slot: run.slots[0] ?? null, lane: 0 });
    this.causes = run.sequencer ? null : new Causes(run);
  }

  /** Make its elements. alone: it has the page for itself, so that two panes stand side by side. */
  build(alone) {
    const { run, app } = this;
    this.legend = el("div.legend");
    const trouble = run.run.status === "done" ? [] : [el("p.fault", {}, run.run.messages.join("\n") || run.run.status)];
    const shown = this.pieces.stop - this.pieces.first;
    const notes = [
      !run.sequencer && run.run.until >= 0 && run.run.until < run.run.stop
        ? `The recording was full: registers and memory are known for cycles 0 to ${grouped(run.run.until - 1)} of ${grouped(run.cycles)}.`
        : "",
      shown < run.cycles
        ? `This page has the cycles ${grouped(this.pieces.first)} to ${grouped(this.pieces.stop - 1)} of ${grouped(run.cycles)}.`
        : "",
      run.run.partial ? "Some cores or warps are left out: what others did is not in this page." : "",
    ].filter(Boolean);
    const full = notes.length ? [el("p.note", {}, notes.join(" "))] : [];
    this.title = el(
      "h2",
      {},
      app.views.length > 1 ? el("b.letter", {}, "AB"[this.index]) : null,
      run.name,
      el("span.quiet", {}, ` ${grouped(run.cycles)} cycles${alone ? `, ${grouped(run.run.instructions)} instructions` : ""}`),
    );
    this.clock = el("span.clock");
    const picture = el("section.panel.picture", {}, el("header", {}, this.title, this.clock, this.legend), trouble, full);
    this.element = el(`div.run${alone ? ".alone" : ""}${run.sequencer ? ".sequencer" : ""}`, {}, picture);
    this.timeline = new Timeline(picture, this, app);
    const first = run.sequencer
      ? [
          ["machine", Diagram],
          ["threads", Warps],
        ]
      : [["warps", Warps]];
    const rest = [["memory", MemoryView]];
    if (run.tables.shared?.rows) rest.push(["shared", SharedView]);
    if (run.program.views.some((one) => one.width > 0)) rest.splice(1, 0, ["images", ImageView]);
    if (run.tables.fragments?.rows) rest.unshift(["picture", PictureView]);
    if (this.causes) rest.push(["caches", CacheView]);
    rest.push(["numbers", NumbersView]);
    const panes = el("div.panes");
    this.panes = [new Pane(panes, this, alone ? first : [...first, ...rest])];
    if (alone) {
      panes.append(split(app, "--pane", "width of the left pane", true));
      this.panes.push(new Pane(panes, this, rest));
    }
    this.element.append(split(app, "--picture", "height of the picture", false), panes);
  }

  /** Whether a cycle is of the piece that is loaded. */
  holds(cycle) {
    return cycle >= this.run.first && cycle < this.run.stop;
  }

  /** Load the piece that shows a cycle. */
  async turnTo(cycle) {
    const { run } = this,
      at = this.slot;
    run.load(await this.pieces.read(this.pieces.of(cycle)));
    this.causes = run.sequencer ? null : new Causes(run);
    this.slot = run.slots.find((slot) => at && slot.core === at.core && slot.warp === at.warp) ?? run.slots[0] ?? null;
    this.drawnTheme = null;
    this.timeline.reset();
    for (const pane of this.panes) pane.reset();
  }

  select(slot, lane = this.lane) {
    if (slot) this.slot = slot;
    this.lane = Math.max(0, Math.min(this.run.lanes - 1, lane));
    this.app.leader = this;
  }

  /** What a lane does in a cycle, as a sentence. */
  sentence(slot, lane, cycle) {
    const { run } = this,
      span = run.spanAt(slot, cycle),
      place = `cycle ${cycle}, ${slot.label}, lane ${lane}`;
    if (span < 0) return `${place}: no warp in this slot`;
    const { activity, pc } = run.spans,
      [name, , meaning] = run.activities[activity[span]],
      [from, to] = run.stretch(slot, span);
    const states = run.laneStates(span),
      on = states.filter((state) => state === "active").length;
    const how = states[lane] === "active" ? "" : ` (${states[lane]})`;
    const when = to > from + 1 ? `, cycles ${from} to ${to - 1}` : "";
    return `${place}${how}\n${name}: ${meaning}${when}\n${run.where(pc[span])}\n${run.warpName(span)}, ${on} of ${run.lanes} lanes`;
  }

  draw() {
    this.clock.textContent = `cycle ${grouped(this.cycle)}`;
    if (this.drawnTheme !== this.app.paint) {
      this.drawnTheme = this.app.paint;
      this.legend.replaceChildren(...this.#legend());
    }
    this.timeline.draw();
    for (const pane of this.panes) pane.draw();
  }

  #legend() {
    const { run, app } = this,
      seen = new Set(run.spans.activity),
      found = [];
    for (let number = 0; number < run.activities.length; number++) {
      const [name] = run.activities[number];
      if (seen.has(number))
        found.push(
          el(
            "span",
            {},
            swatch(app.paint.activity(run, number)),
            term(run.sequencer ? `state ${name}` : name, name),
          ),
        );
    }
    for (const state of run.offStates) found.push(el("span", {}, swatch(app.paint.lanes[state]), term(state)));
    return found;
  }
}

/** A part of the page with tabs, one of which is shown. */
class Pane {
  constructor(host, view, tabs) {
    this.tabs = tabs.map(([name, Kind]) => {
      const body = el("div.body", { role: "tabpanel" });
      const button = el(
        "button.tab",
        {
          role: "tab",
          click: () => {
            this.show(name);
            view.app.redraw();
          },
        },
        name,
      );
      return { name, body, button, made: null, make: () => new Kind(body, view, view.app) };
    });
    host.append(
      el(
        "section.panel.pane",
        {},
        el(
          "header",
          { role: "tablist" },
          this.tabs.map((tab) => tab.button),
        ),
        this.tabs.map((tab) => tab.body),
      ),
    );
    this.show(this.tabs[0].name);
  }

  show(name) {
    this.shown = this.tabs.find((tab) => tab.name === name) ?? this.tabs[0];
    for (const tab of this.tabs) {
      tab.button.setAttribute("aria-selected", tab === this.shown);
      tab.body.hidden = tab !== this.shown;
    }
  }

  /** Show the next tab. */
  turn() {
    this.show(this.tabs[(this.tabs.indexOf(this.shown) + 1) % this.tabs.length].name);
  }

  /** Another piece of the run has been loaded: everything is made anew when it is shown. */
  reset() {
    for (const tab of this.tabs) {
      tab.made = null;
      tab.body.replaceChildren();
    }
  }

  draw() {
    this.shown.made ??= this.shown.make();
    this.shown.made.draw();
  }
}
