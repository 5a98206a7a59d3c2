// Searching in ordered columns, and in intervals of cycles.

/** The number of entries of `values[from .. to - 1]`, which rise, that are at most `wanted`, plus `from`. */
export function after(values, wanted, from = 0, to = values.length) {
  while (from < to) {
    const middle = (from + to) >> 1;
    if (values[middle] <= wanted) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Rows of a table by a key, each list in the order of the table. key: a function of the row's number. */
export function grouped(rows, key) {
  const found = new Map();
  for (let row = 0; row < rows; row++) {
    const name = key(row);
    const list = found.get(name);
    if (list) list.push(row);
    else found.set(name, [row]);
  }
  return found;
}

/** The last of `rows`, whose `time` rises, with a time of at most `cycle`; -1 when there is none. */
export function lastUpTo(rows, time, cycle) {
  let from = 0,
    to = rows.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (time[rows[middle]] <= cycle) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}

/** Intervals of cycles; `at` finds those that hold in a cycle. */
export class Intervals {
  /** start(row), stop(row): the first cycle, and the first one after it. */
  constructor(rows, start, stop) {
    this.order = Array.from({ length: rows }, (_, row) => row).sort((one, other) => start(one) - start(other));
    this.starts = this.order.map(start);
    this.stops = this.order.map(stop);
    let latest = -Infinity;
    this.latest = this.stops.map((value) => (latest = Math.max(latest, value)));
  }

  /** The rows whose interval holds `cycle`, in the order of their start. */
  at(cycle) {
    const found = [];
    for (let place = after(this.starts, cycle) - 1; place >= 0 && this.latest[place] > cycle; place--)
      if (this.stops[place] > cycle) found.push(this.order[place]);
    return found.reverse();
  }
}
