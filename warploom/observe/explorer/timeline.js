// The picture of lanes by cycles: a band per warp slot, a row per lane. Zoomed with the wheel, moved by dragging, clicked to choose a cycle.

import { columnsOf, levelsOf, sumUp } from "explorer/levels.js";
import { LANE_STATES } from "explorer/run.js";
import { after } from "explorer/search.js";
import { TILE, pixel } from "explorer/paint.js";
import { overlay } from "explorer/timeline_overlay.js";
import { listen } from "explorer/timeline_pointer.js";
import { AXIS, GAP, LABELS, LEAST_BAND, MOST_LANE, MOST_SCALE, OVERVIEW, TRAFFIC } from "explorer/timeline_sizes.js";

export class Timeline {
  constructor(host, view, app) {
    Object.assign(this, { view, app, run: view.run, top: 0, levels: [], hover: null });
    this.canvas = document.createElement("canvas");
    this.canvas.className = "timeline";
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("aria-label", "lanes by cycles");
    host.append(this.canvas);
    this.context = this.canvas.getContext("2d", { alpha: false });
    this.sums = new Float64Array(columnsOf(this.run));
    this.traffic = inFlightOf(view.causes?.traffic);
    new ResizeObserver(() => this.measure()).observe(this.canvas);
    listen(this);
  }

  /** Show the whole run. */
  fit() {
    this.scale = this.leastScale;
    this.from = this.app.first;
    this.app.share(this);
  }

  get plotWidth() {
    return Math.max(1, this.width - LABELS - 4);
  }

  get leastScale() {
    return Math.min(MOST_SCALE, this.plotWidth / (this.app.stop - this.app.first));
  }

  /** Change the scale by a factor, with the cycle under x where it is. */
  zoom(factor, x = this.x(this.view.cycle + 0.5)) {
    const cycle = this.cycleAt(x);
    this.scale = Math.min(MOST_SCALE, Math.max(this.leastScale, this.scale * factor));
    this.from = cycle - (x - LABELS) / this.scale;
    this.keepInside();
    this.app.share(this);
    this.app.redraw();
  }

  /** Move by three quarters of what is shown, on (1) or back (-1). */
  turn(direction) {
    this.from += (direction * 0.75 * this.plotWidth) / this.scale;
    this.keepInside();
    this.app.share(this);
  }

  /** Move so that a cycle is in sight. */
  reveal(cycle) {
    if (!this.width) return;
    const shown = this.plotWidth / this.scale;
    if (cycle < this.from || cycle + 1 > this.from + shown) this.from = cycle - shown / 3;
    this.keepInside();
  }

  /** Scroll so that a slot is in sight. */
  revealSlot(slot) {
    const each = this.band + GAP,
      room = this.plotBottom - this.plotTop,
      top = slot.number * each;
    if (top < this.top) this.top = top;
    else if (top + each > this.top + room) this.top = top + each - room;
    this.keepInside();
  }

  x(cycle) {
    return LABELS + (cycle - this.from) * this.scale;
  }

  cycleAt(x) {
    return this.from + (x - LABELS) / this.scale;
  }

  /** The slot and the lane at a height, or null. */
  rowAt(y) {
    const down = y - this.plotTop + this.top,
      number = Math.floor(down / (this.band + GAP));
    const slot = this.run.slots[number],
      inside = down - number * (this.band + GAP);
    if (!slot || y < this.plotTop || y > this.plotBottom || inside >= this.band) return null;
    return { slot, lane: Math.floor((inside * this.run.lanes) / this.band) };
  }

  /** Take the canvas's size. Nothing may be zoomed, moved or drawn before. */
  measure() {
    const box = this.canvas.getBoundingClientRect();
    if (!box.width || !box.height) return;
    const whole = this.scale === undefined || this.scale <= this.leastScale * 1.001;
    this.ratio = window.devicePixelRatio || 1;
    [this.width, this.height] = [box.width, box.height];
    this.canvas.width = Math.round(box.width * this.ratio);
    this.canvas.height = Math.round(box.height * this.ratio);
    this.plotTop = OVERVIEW + AXIS;
    this.plotBottom = this.height - (this.traffic ? TRAFFIC : 2);
    const count = Math.max(1, this.run.slots.length),
      room = this.plotBottom - this.plotTop;
    this.band = Math.floor(Math.min(this.run.lanes * MOST_LANE, Math.max(LEAST_BAND, room / count - GAP)));
    this.deepest = Math.max(0, count * (this.band + GAP) - room);
    if (whole) this.fit();
    this.keepInside();
    this.app.redraw();
  }

  keepInside() {
    const shown = this.plotWidth / this.scale;
    this.from = Math.max(this.app.first, Math.min(this.from, this.app.stop - shown));
    this.top = Math.max(0, Math.min(this.top, this.deepest || 0));
  }

  /** Another piece of the run has been loaded. */
  reset() {
    Object.assign(this, { levels: [], painted: null, traffic: inFlightOf(this.view.causes?.traffic) });
    if (this.scale !== undefined) this.scale = Math.max(this.scale, this.leastScale);
    this.measure();
  }

  draw() {
    if (!this.width) return;
    const { context, ratio, run } = this,
      style = this.app.style;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = style.panel;
    context.fillRect(0, 0, this.width, this.height);
    const left = Math.round(LABELS * ratio),
      width = Math.round(this.plotWidth * ratio),
      height = Math.round((this.plotBottom - this.plotTop) * ratio);
    if (!this.image || this.image.width !== width || this.image.height !== height) this.image = context.createImageData(width, height);
    const key = [this.from, this.scale, this.top, width, height, this.app.paint.dark].join();
    if (key !== this.painted) {
      this.painted = key;
      const words = new Uint32Array(this.image.data.buffer);
      words.fill(pixel(style.panelRgb));
      for (const slot of run.slots) this.#band(words, width, height, slot);
    }
    context.putImageData(this.image, left, Math.round(this.plotTop * ratio));
    overlay(this);
  }

  #band(words, width, height, slot) {
    const { run, ratio } = this,
      paint = this.app.paint;
    const y0 = Math.round((slot.number * (this.band + GAP) - this.top) * ratio),
      tall = Math.round(this.band * ratio);
    const first = Math.max(0, y0),
      last = Math.min(height, y0 + tall);
    if (first >= last) return;
    const lanes = run.lanes,
      laneOf = new Int16Array(last - first);
    const separate = this.band / lanes >= 5;
    for (let y = first; y < last; y++) {
      const lane = Math.floor(((y - y0) * lanes) / tall);
      laneOf[y - first] = separate && Math.floor(((y + 1 - y0) * lanes) / tall) !== lane ? -1 : lane;
    }
    const step = 1 / (this.scale * ratio),
      none = paint.lanes.none.pixel;
    if (step > 4) return this.#summed(words, width, slot, first, last, laneOf, step);
    const { start, length, activity } = run.spans;
    let row = Math.max(slot.first, after(start, this.from, slot.first, slot.last) - 1);
    const edges = this.scale >= 7;
    let known = -1,
      states = [];
    for (let x = 0; x < width; x++) {
      const exact = this.from + x * step,
        cycle = Math.floor(exact);
      if (cycle >= run.stop) break;
      if (cycle < run.first) continue;
      while (row + 1 < slot.last && start[row + 1] <= cycle) row++;
      const inside = row < slot.last && cycle >= start[row] && cycle < start[row] + length[row];
      const edge = edges && Math.floor(exact + step) !== cycle;
      const look = inside ? paint.activity(run, activity[row]) : null;
      if (inside && row !== known) states = run.laneStates((known = row));
      for (let y = first; y < last; y++) {
        const lane = laneOf[y - first];
        if (lane < 0 || (edge && inside && lane >= 0 && (activity[row] === run.issueActivity || cycle === start[row] + length[row] - 1)))
          continue;
        let colour = none;
        if (inside) {
          const state = states[lane],
            seen = state === "active" ? look : paint.lanes[state];
          colour = seen.tile && seen.tile[(y % TILE) * TILE + (x % TILE)] ? seen.marked : seen.pixel;
        }
        words[y * width + x] = colour;
      }
    }
  }

  /** A band whose pixels are several cycles wide each: the mean of their colours. */
  #summed(words, width, slot, first, last, laneOf, step) {
    const { run, sums } = this,
      paint = this.app.paint,
      activities = run.activities.length;
    const levels = (this.levels[slot.number] ??= levelsOf(run, slot));
    const looks = run.activities.map((_, number) => paint.activity(run, number).rgb),
      off = LANE_STATES.slice(1).map((state) => paint.lanes[state].rgb),
      empty = paint.lanes.none.rgb;
    const colours = new Uint32Array(run.lanes),
      shown = [...new Set(laneOf)].filter((lane) => lane >= 0);
    for (let x = 0; x < width; x++) {
      const from = this.from + x * step;
      if (from >= run.stop) break;
      const cycles = sumUp(levels, from, Math.min(run.stop, from + step), sums);
      let total = 0,
        red = 0,
        green = 0,
        blue = 0;
      for (let number = 0; number < activities; number++) {
        const count = sums[number];
        if (!count) continue;
        total += count;
        red += count * looks[number][0];
        green += count * looks[number][1];
        blue += count * looks[number][2];
      }
      const away = Math.max(0, cycles - total),
        all = Math.max(1, total + away);
      for (const lane of shown) {
        const at = activities + lane * LANE_STATES.length,
          share = total ? sums[at] / total : 0;
        const mixed = (colour, part) => {
          let light = colour * share + empty[part] * away;
          for (let state = 0; state < off.length; state++) light += off[state][part] * sums[at + 1 + state];
          return Math.round(light / all);
        };
        colours[lane] = ((255 << 24) | (mixed(blue, 2) << 16) | (mixed(green, 1) << 8) | mixed(red, 0)) >>> 0;
      }
      for (let y = first; y < last; y++) if (laneOf[y - first] >= 0) words[y * width + x] = colours[laneOf[y - first]];
    }
  }
}

/** How many accesses are on their way, as steps: {times, counts, most}; null where nothing was written down. */
function inFlightOf(traffic) {
  if (!traffic?.accesses.length) return null;
  const changes = traffic.accesses
    .flatMap(({ start, done }) => [
      [start, 1],
      [done + 1, -1],
    ])
    .sort((one, other) => one[0] - other[0]);
  const times = [],
    counts = [];
  let count = 0,
    most = 0;
  for (const [time, change] of changes) {
    count += change;
    if (times[times.length - 1] === time) counts[counts.length - 1] = count;
    else times.push(time) && counts.push(count);
    most = Math.max(most, count);
  }
  return { times, counts, most };
}
