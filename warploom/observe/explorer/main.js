// The page: reads the runs, lays them out, and keeps source, pictures and panes at the same cycle.

import { Answer } from "explorer/answer.js";
import { el } from "explorer/dom.js";
import { Find } from "explorer/find.js";
import { Hint } from "explorer/hint.js";
import { Help, Keys } from "explorer/keys.js";
import { numberOf, rowOf } from "explorer/line_numbers.js";
import { Paint, rgb } from "explorer/paint.js";
import { Pieces } from "explorer/pieces.js";
import { Run } from "explorer/run.js";
import { SourceView } from "explorer/source.js";
import { split } from "explorer/split.js";
import { forget, matching, programsOf } from "explorer/sync.js";
import { Transport } from "explorer/transport.js";
import { RunView } from "explorer/view.js";

const THEMES = ["system", "dark", "light"],
  SYNC = ["cycle", "instruction"];
const night = matchMedia("(prefers-color-scheme: dark)");

class App {
  constructor(common, runs, pieces) {
    Object.assign(this, { common, theme: THEMES[0], sync: SYNC[0], waiting: false });
    this.views = runs.map((run, index) => new RunView(this, run, index, pieces[index]));
    this.leader = this.views[0];
    this.#extent();
    this.hint = new Hint(document.getElementById("hint"), common.glossary);
    this.#build(document.getElementById("app"));
    this.#colours();
    night.addEventListener("change", () => this.#colours());
    // A write that comes due between a link and its event would otherwise stand over the address that the link leads to.
    window.addEventListener("popstate", () => clearTimeout(this.writing));
    window.addEventListener("hashchange", (event) => {
      clearTimeout(this.writing);
      this.place = null;
      this.#follow(new URL(event.newURL).hash);
      this.redraw();
    });
    this.#open();
    for (const view of this.views) view.timeline.measure(); // a key may come before the first frame
    this.#follow(location.hash);
    this.redraw();
  }

  /** The place where the page opens, unless its address names one: the first issue of a warp, or the fault that ended the run. */
  #open() {
    const { run } = this.leader;
    if (run.run.status === "error") return this.go(run.cycles - 1);
    if (run.first > 0) return this.go(run.first);
    const { start, core, warp } = run.spans,
      first = run.issues.reduce((one, other) => (start[other] < start[one] ? other : one), run.issues[0]);
    if (first === undefined) return;
    this.leader.select(run.slots.find((slot) => slot.core === core[first] && slot.warp === warp[first]));
    this.go(start[first]);
  }

  #build(host) {
    const two = this.views.length > 1,
      titles = [...new Set(this.views.map((view) => view.run.program.name))].join(" and ");
    const bar = el("header.bar"),
      moves = el("span.moves");
    this.message = el("span.message", { role: "status" });
    this.syncButton = el("button", {
      click: () => this.turnSync(),
      "data-hint": "keep the two runs at the same cycle, or at the same instruction of the chosen warp (s)",
    });
    this.themeButton = el("button", { click: () => this.turnTheme(), "data-hint": "dark, light, or the system's setting (t)" });
    const help = el("button", { click: () => this.help.toggle(), "data-hint": "keys and glossary (?)", "aria-label": "help" }, "?");
    bar.append(
      el("h1", {}, titles, el("span.quiet", {}, ` on ${this.views[0].run.machine.name}`)),
      moves,
      this.message,
      el("span.group.right", {}, this.common.profile ? this.#toProfile() : null, two && programsOf(this.views).length === 1 ? this.syncButton : null, this.themeButton, help),
    );
    const sources = programsOf(this.views).map(() => el("section.panel.source")),
      runs = el(`div.runs${two ? ".two" : ""}`);
    host.append(bar);
    this.answer = new Answer(host, this);
    this.find = new Find(this.answer.element.querySelector("header"), this);
    host.append(el("div.sources", {}, sources), split(this, "--source", "width of the source", true), runs);
    document.getElementById("loading").remove();
    host.hidden = false;
    this.sources = programsOf(this.views).map((views, index) => new SourceView(sources[index], this, views));
    for (const view of this.views) {
      view.build(!two);
      runs.append(...(view.index ? [split(this, "--first", "width of the first run", true)] : []), view.element);
    }
    this.transport = new Transport(moves, this);
    this.keys = new Keys(this);
    this.help = new Help(host, this.keys.rows, this.common.glossary, this.common.instructions);
    this.#name();
  }

  /** The source of the run that leads. */
  get source() {
    return this.sourceOf(this.leader);
  }

  /** The source that a view's run is of. */
  sourceOf(view) {
    return this.sources.find((one) => one.views.includes(view));
  }

  showSource() {
    for (const source of this.sources) source.host.hidden = source !== this.source;
  }

  /** A link to the profile's page, at the line that is chosen here. */
  #toProfile() {
    const to = () => (link.href = this.common.profile + (this.source.chosen > 0 ? `#line-${numberOf(this.source.run.program, this.source.chosen)}` : ""));
    const link = el("a.profile", { href: this.common.profile, click: to, focus: to, pointerenter: to, "data-hint": "the profile of this run, at this line" }, "profile");
    return link;
  }

  #name() {
    this.syncButton.textContent = `same ${this.sync}`;
    this.themeButton.textContent = this.theme === "system" ? "◐" : this.theme === "dark" ? "☾" : "☀";
    this.themeButton.setAttribute("aria-label", `colours: ${this.theme}`);
  }

  #colours() {
    const dark = this.theme === "system" ? night.matches : this.theme === "dark";
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    this.paint = new Paint(this.common.palette, dark);
    const style = getComputedStyle(document.documentElement),
      value = (name) => style.getPropertyValue(`--${name}`).trim();
    this.style = Object.fromEntries(
      ["panel", "text", "quiet", "line", "accent", "cursor", "veil", "traffic"].map((name) => [name, value(name)]),
    );
    this.style.panelRgb = rgb(this.style.panel);
    this.redraw();
  }

  turnTheme() {
    this.theme = THEMES[(THEMES.indexOf(this.theme) + 1) % THEMES.length];
    this.#name();
    this.#colours();
  }

  turnSync() {
    if (this.sources.length > 1) return; // two programs have no instruction in common
    this.sync = SYNC[(SYNC.indexOf(this.sync) + 1) % SYNC.length];
    this.#name();
    this.go(this.leader.cycle);
  }

  otherRun() {
    this.leader = this.views[(this.leader.index + 1) % this.views.length];
    this.redraw();
  }

  nextWarp(by) {
    const view = this.leader,
      count = view.run.slots.length;
    if (!count) return;
    view.select(view.run.slots[(view.slot.number + by + count) % count]);
    view.timeline.revealSlot(view.slot);
  }

  breakHere() {
    const { run, slot, cycle } = this.leader,
      span = slot ? run.spanAt(slot, cycle) : -1;
    if (span >= 0) this.source.toggleBreakpoint(run.lineOf(run.spans.pc[span]));
  }

  /** The cycles of the page, and those that the loaded pieces show. */
  #extent() {
    const runs = this.views.map((view) => view.run);
    this.cycles = Math.max(...runs.map((run) => run.cycles));
    this.first = Math.min(...runs.map((run) => run.first));
    this.stop = Math.max(...runs.map((run) => run.stop));
  }

  /** Go to a cycle of a view, the one that leads unless another is named; the other run follows. A piece that is not there yet is loaded. */
  go(cycle, view = this.leader) {
    this.leader = view;
    const { first, stop } = view.pieces,
      wanted = Math.max(first, Math.min(stop - 1, Math.round(cycle)));
    const follows = (other) => Math.max(other.pieces.first, Math.min(other.pieces.stop - 1, wanted));
    const absent = this.views.filter((other) => !other.holds(follows(other)) && (other === view || this.sync === "cycle"));
    if (absent.length) return this.#load(absent, wanted, view);
    view.cycle = wanted;
    for (const other of this.views) {
      if (other !== view) {
        if (this.sync === "cycle") other.cycle = follows(other);
        else matching(view, other);
      }
      if (other === view || this.sync === "instruction") other.timeline.reveal(other.cycle);
    }
    this.share(view.timeline);
    this.redraw();
  }

  /** Load the pieces of some views that show a cycle, and go there; of several wishes the last one counts. */
  async #load(views, cycle, view) {
    this.wanted = [cycle, view];
    if (this.loading) return this.loading;
    this.say("unpacking this part of the run ...");
    this.loading = (async () => {
      for (const other of views) {
        await other.turnTo(Math.max(other.pieces.first, Math.min(other.pieces.stop - 1, cycle)));
        forget(other.run);
        this.transport.reset(other);
      }
      this.#extent();
      for (const other of this.views) other.timeline.reset();
      for (const source of this.sources) source.reset();
    })();
    await this.loading;
    this.loading = null;
    this.say("");
    return this.go(...this.wanted);
  }

  /** One picture has been zoomed or moved: where two runs keep the same cycle, the other one shows the same cycles. */
  share(timeline) {
    if (this.sync !== "cycle") return;
    for (const { timeline: other } of this.views) {
      if (other === timeline || !other?.width) continue;
      [other.scale, other.from] = [timeline.scale, timeline.from];
      other.keepInside();
    }
  }

  /** A sentence in the bar, for a while. */
  say(text) {
    this.message.textContent = text;
    clearTimeout(this.silence);
    this.silence = setTimeout(() => (this.message.textContent = ""), 4000);
  }

  /** Draw once before the next frame. */
  redraw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.showSource();
      for (const source of this.sources) source.draw();
      for (const view of this.views) {
        view.element.classList.toggle("leads", view === this.leader && this.views.length > 1);
        view.draw();
      }
      this.answer.draw();
      this.transport.draw();
      this.#remember();
    });
  }

  /** The place in the run as the page's address: a link leads back to it. */
  #remember() {
    const { cycle, slot, lane } = this.leader;
    const place = `#cycle=${cycle}${slot ? `&core=${slot.core}&warp=${slot.warp}&lane=${lane}` : ""}${this.leader.index ? "&run=1" : ""}`;
    if (place === this.place) return;
    this.place = place;
    clearTimeout(this.writing);
    this.writing = setTimeout(() => {
      try {
        history.replaceState(null, "", place);
      } catch {
        // A frame of a notebook has no address of its own.
      }
    }, 120);
  }

  /** Go where an address's fragment says. The event's own address is read, since `location` may have been written over since. */
  #follow(fragment) {
    const asked = new URLSearchParams(fragment.slice(1)),
      number = (name) => (asked.has(name) ? Number(asked.get(name)) : null);
    const view = this.views[number("run") ?? this.leader.index] ?? this.leader;
    const choose = () => {
      const slot = view.run.slots.find((one) => one.core === number("core") && one.warp === number("warp"));
      if (slot) view.select(slot, number("lane") ?? 0);
      this.redraw();
    };
    choose();
    if (asked.has("line")) this.source.land(rowOf(this.source.run.program, number("line")));
    if (Number.isFinite(number("cycle")) && asked.has("cycle")) Promise.resolve(this.go(number("cycle"), view)).then(choose);
  }
}

const common = JSON.parse(document.getElementById("common").textContent);
const packed = [...document.querySelectorAll("script.packed")];
const pieces = [...new Set(packed.map((element) => element.dataset.run))].map(
  (number) =>
    new Pieces(
      packed.filter((element) => element.dataset.run === number),
      common.version,
    ),
);
const runs = await Promise.all(pieces.map((one) => one.read(0)));
window.explorer = new App(
  common,
  runs.map((data, index) => new Run(data, common.names[index])),
  pieces,
);
