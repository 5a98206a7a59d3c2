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
      kinds: new Map(app.views.map((view) => [view, kindsOf(view.run)])),
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
        button("«", () => app.go(0), "first cycle", "Home"),
        this.back,
        button("‹", () => this.step(-1), "one cycle back", "←"),
        this.field,
        button("›", () => this.step(1), "one cycle on", "→"),
        this.forward,
        button("»", () => app.go(app.leader.run.cycles - 1), "last cycle", "End"),
      ),
      this.speeds,
      el(
        "span.group",
        {},
        button("⟨", () => this.jump(-1), "to the event before", "p"),
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
      kind = this.kinds.get(view)[name],
      times = kind ? kind.times(view) : [];
    const time = direction > 0 ? nextTime(times, view.cycle) : previousTime(times, view.cycle);
    if (time >= 0) this.app.go(time);
    else
      this.app.say(
        times.length
          ? `no ${direction > 0 ? "later" : "earlier"} event of this kind: ${name}`
          : name === "breakpoint"
            ? "there is no breakpoint: click a line number to set one"
            : `${name} does not happen in this run`,
      );
  }

  /** To the next cycle in which the chosen warp issues one of these instructions; round to the first one behind the last. */
  toInstruction(pcs) {
    const view = this.app.leader,
      { run, slot } = view;
    if (!slot) return;
    const times = run.issues
      .slice(run.issuesBefore[slot.first], run.issuesBefore[slot.last])
      .filter((row) => pcs.has(run.spans.pc[row]))
      .map((row) => run.spans.start[row]);
    const time = nextTime(times, view.cycle);
    if (times.length) this.app.go(time >= 0 ? time : times[0]);
    else this.app.say(`${slot.label} never issues this line`);
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
      end = view.run.cycles - 1;
    let to = Math.max(0, Math.min(end, from + cycles));
    if (times.length) {
      const stop = cycles > 0 ? times[after(times, from)] : times[after(times, from - 1) - 1];
      if (stop !== undefined && (cycles > 0 ? stop <= to : stop >= to)) ((to = stop), this.stop());
    }
    this.app.go(to);
    if (to === 0 && cycles < 0) this.stop();
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
    this.field.max = this.app.leader.run.cycles - 1;
  }
}
