// Moving in time: step, play forwards and backwards, to the next event, to a breakpoint.

import { el } from "explorer/dom.js";
import { kindsOf, nextTime, previousTime } from "explorer/events.js";
import { after } from "explorer/search.js";

const SPEEDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 20000, 100000];

export class Transport {
  constructor(host, app) {
    Object.assign(this, {
      app,
      playing: 0,
      speed: 10,
      kinds: new Map(app.views.map((view) => [view, kindsOf(view.run, view.pieces.several)])),
      known: new Map(),
    });
    const button = (label, act, name, key) => el("button", { click: act, "aria-label": name, "data-hint": `${name} (${key})` }, label);
    this.back = button("◀", () => this.play(-1), "play backwards", "Shift+Space");
    this.forward = button("▶", () => this.play(1), "play", "Space");
    this.field = el("input.cycle", {
      type: "number",
      min: 0,
      value: 0,
      "aria-label": "cycle",
      change: () => app.go(Number(this.field.value) || 0),
    });
    this.speeds = el(
      "select",
      { "aria-label": "speed", change: (event) => (this.speed = Number(event.target.value)) },
      SPEEDS.map((speed) => el("option", { value: speed, selected: speed === 10 }, `${speed} cycles/s`)),
    );
    const names = [...new Set([...this.kinds.values()].flatMap((kinds) => Object.keys(kinds)))];
    this.kind = el(
      "select",
      { "aria-label": "kind of event", change: () => this.#tell() },
      names.map((name) => el("option", { value: name }, name)),
    );
    host.append(
      el(
        "span.group",
        {},
        button("«", () => app.go(app.leader.pieces.first), "first cycle", "Home"),
        this.back,
        button("‹", () => this.step(-1), "one cycle backwards", "←"),
        this.field,
        button("›", () => this.step(1), "one cycle forwards", "→"),
        this.forward,
        button("»", () => app.go(app.leader.pieces.stop - 1), "last cycle", "End"),
      ),
      this.speeds,
      el(
        "span.group",
        {},
        button("⟨", () => this.jump(-1), "to the previous event of the chosen kind", "p"),
        this.kind,
        button("⟩", () => this.jump(1), "to the next event", "n"),
      ),
    );
    this.#tell();
  }

  #tell() {
    const kinds = this.kinds.get(this.app.leader) ?? {};
    this.kind.dataset.hint = `event: ${kinds[this.kind.value]?.meaning ?? "does not happen in this run"}`;
  }

  /** Another piece of a view's run has been loaded. */
  reset(view) {
    this.kinds.set(view, kindsOf(view.run, view.pieces.several));
    this.known.clear();
  }

  /** Choose the next kind of event. */
  nextKind() {
    this.kind.selectedIndex = (this.kind.selectedIndex + 1) % this.kind.options.length;
    this.#tell();
  }

  faster(by) {
    const place = Math.max(0, Math.min(SPEEDS.length - 1, SPEEDS.indexOf(this.speed) + by));
    this.speed = SPEEDS[place];
    this.speeds.selectedIndex = place;
  }

  step(cycles) {
    this.stop();
    this.app.go(this.app.leader.cycle + cycles);
  }

  /** To the next (1) or previous (-1) event of the chosen kind, or of another one. */
  jump(direction, name = this.kind.value) {
    this.stop();
    const view = this.app.leader,
      times = (of) => this.kinds.get(of)[name]?.times(of) ?? [];
    return this.#seek(view, direction, times, () =>
      this.app.say(
        times(view).length || view.pieces.several
          ? `no ${direction > 0 ? "later" : "earlier"} event of this kind: ${name}`
          : name === "breakpoint"
            ? "there is no breakpoint: click a line number to set one"
            : `${name} does not happen in this run`,
      ),
    );
  }

  /** To the next time of a view, looked for in the piece that is loaded and then in those after it (or before it, backwards). */
  async #seek(view, direction, times, none) {
    const inside = (list) => list.filter((time) => view.holds(time)),
      from = view.cycle,
      find = () => (direction > 0 ? nextTime(inside(times(view)), view.cycle) : previousTime(inside(times(view)), view.cycle));
    for (let time = find(); ; time = find()) {
      if (time >= 0) return this.app.go(time);
      const edge = direction > 0 ? view.run.stop : view.run.first - 1;
      if (edge >= view.pieces.stop || edge < view.pieces.first) break;
      await this.app.go(edge);
      if (inside(times(view)).includes(edge)) return;
    }
    if (view.cycle !== from) await this.app.go(from);
    none();
  }

  /** To the next cycle in which the chosen warp issues one of these instructions; round to the first one after the last. */
  toInstruction(pcs) {
    const view = this.app.leader;
    if (!view.slot) return;
    const label = view.slot.label;
    const times = ({ run, slot }) =>
      (slot ? run.issues.slice(run.issuesBefore[slot.first], run.issuesBefore[slot.last]) : [])
        .filter((row) => pcs.has(run.spans.pc[row]))
        .map((row) => run.spans.start[row]);
    return this.#seek(view, 1, times, () => {
      const [first] = times(view);
      if (first !== undefined && !view.pieces.several) this.app.go(first);
      else this.app.say(`${label} never issues this line${view.pieces.several ? " from here on" : ""}`);
    });
  }

  /** The cycles in which a breakpoint stops a run. */
  stops(view) {
    if (this.known.has(view)) return this.known.get(view);
    const pcs = this.app.source.stops(),
      { run } = view;
    const times = pcs.size
      ? [...new Set(run.issues.filter((row) => pcs.has(run.spans.pc[row])).map((row) => run.spans.start[row]))].sort(
          (one, other) => one - other,
        )
      : [];
    this.known.set(view, times);
    return times;
  }

  /** Breakpoints have changed. */
  forget() {
    this.known.clear();
  }

  /** Play in a direction, or stop when it plays so already. */
  play(direction) {
    if (this.playing === direction) return this.stop();
    const fresh = !this.playing;
    this.playing = direction;
    this.#show();
    if (!fresh) return;
    let last = performance.now(),
      owed = 0;
    const tick = (now) => {
      if (!this.playing) return;
      owed += ((now - last) / 1000) * this.speed;
      last = now;
      const cycles = Math.floor(owed);
      if (cycles > 0) {
        owed -= cycles;
        this.#advance(cycles * this.playing);
      }
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  #advance(cycles) {
    const view = this.app.leader,
      times = this.stops(view),
      from = view.cycle,
      end = view.pieces.stop - 1;
    if (this.app.loading) return;
    // Not past the loaded piece in one step: a breakpoint of the next one is not known yet.
    let to = Math.max(view.pieces.first, Math.min(end, from + cycles));
    to = cycles > 0 ? Math.min(to, view.run.stop) : Math.max(to, view.run.first - 1, view.pieces.first);
    if (times.length) {
      const stop = cycles > 0 ? times[after(times, from)] : times[after(times, from - 1) - 1];
      if (stop !== undefined && (cycles > 0 ? stop <= to : stop >= to)) ((to = stop), this.stop());
    }
    this.app.go(to);
    if (to === view.pieces.first && cycles < 0) this.stop();
    if (to === end && cycles > 0) this.stop();
  }

  stop() {
    this.playing = 0;
    this.#show();
  }

  #show() {
    this.forward.textContent = this.playing > 0 ? "❚❚" : "▶";
    this.back.textContent = this.playing < 0 ? "❚❚" : "◀";
  }

  draw() {
    if (document.activeElement !== this.field) this.field.value = this.app.leader.cycle;
    this.field.max = this.app.leader.pieces.stop - 1;
  }
}
