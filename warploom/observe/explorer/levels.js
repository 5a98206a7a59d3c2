// What every warp slot did, summed over stretches of 4, 16, 64 ... cycles, so that a picture of a long run is drawn from few numbers.

const BASE = 4;

import { LANE_STATES } from "explorer/run.js";

/** Numbers of a bin: cycles by activity, then by lane and what it is. */
export function columnsOf(run) {
  return run.activities.length + run.lanes * LANE_STATES.length;
}

/** The sums of one slot at one width. counts: `columnsOf` numbers a bin. */
class Level {
  constructor(width, bins, columns, origin) {
    this.width = width;
    this.origin = origin;
    this.columns = columns;
    this.counts = width <= 255 ? new Uint8Array(bins * columns) : new Uint32Array(bins * columns);
  }
}

/** The levels of a slot, the finest first. */
export function levelsOf(run, slot) {
  const { activity, start, length } = run.spans,
    activities = run.activities.length;
  const columns = columnsOf(run);
  const origin = Math.floor(run.begins / BASE) * BASE;
  let stop = run.begins;
  for (let row = slot.first; row < slot.last; row++) stop = Math.max(stop, start[row] + length[row]);
  let bins = Math.max(1, Math.ceil((stop - origin) / BASE));
  const base = new Level(BASE, bins, columns, origin),
    counts = base.counts,
    places = new Int32Array(run.lanes);
  for (let row = slot.first; row < slot.last; row++) {
    const stop = start[row] + length[row];
    for (let lane = 0; lane < run.lanes; lane++) places[lane] = activities + lane * LANE_STATES.length + run.laneState(row, lane);
    for (let cycle = start[row]; cycle < stop;) {
      const bin = Math.floor((cycle - origin) / BASE),
        until = Math.min(stop, origin + (bin + 1) * BASE),
        here = until - cycle,
        at = bin * columns;
      counts[at + activity[row]] += here;
      for (const place of places) counts[at + place] += here;
      cycle = until;
    }
  }
  const found = [base];
  while (bins > 256) {
    const finer = found[found.length - 1];
    const level = new Level(finer.width * 4, Math.ceil(bins / 4), columns, origin);
    for (let bin = 0; bin < bins; bin++)
      for (let column = 0; column < columns; column++) level.counts[(bin >> 2) * columns + column] += finer.counts[bin * columns + column];
    bins = Math.ceil(bins / 4);
    found.push(level);
  }
  return found;
}

/** Add what a slot did from cycle `from` to `to` into `sums`; the finest level that is no wider than the stretch decides. */
export function sumUp(levels, from, to, sums) {
  sums.fill(0);
  let level = levels[0];
  for (const other of levels) if (other.width <= to - from) level = other;
  const first = Math.max(0, Math.floor((from - level.origin) / level.width)),
    last = Math.max(first + 1, Math.floor((to - level.origin) / level.width));
  const end = Math.min(last, level.counts.length / level.columns);
  for (let bin = first; bin < end; bin++)
    for (let column = 0, at = bin * level.columns; column < level.columns; column++) sums[column] += level.counts[at + column];
  return Math.max(1, (last - first) * level.width);
}
