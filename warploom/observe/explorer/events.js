// What one can jump to: kinds of events, each as the cycles in which it happens.

import { after } from "explorer/search.js";

/** The kinds that a run knows: {name: {meaning, times(view)}}; times rise. all: those too that do not happen in what is loaded of it. */
export function kindsOf(run, all) {
  const { spans, tables } = run,
    found = {};
  const sorted = (list) => [...new Set(list)].sort((one, other) => one - other);
  const starts = (test) =>
    sorted(
      Array.from({ length: spans.rows }, (_, row) => row)
        .filter(test)
        .map((row) => spans.start[row]),
    );
  const fixed = (meaning, times) => ({ meaning, times: () => times });
  found.issue = {
    meaning: run.sequencer ? "the chosen core executes an instruction" : "the chosen warp issues an instruction",
    times: (view) =>
      view.slot ? run.issues.slice(run.issuesBefore[view.slot.first], run.issuesBefore[view.slot.last]).map((row) => spans.start[row]) : [],
  };
  found.state = {
    meaning: "the chosen warp changes its state",
    times: (view) =>
      view.slot
        ? Array.from({ length: view.slot.last - view.slot.first }, (_, index) => view.slot.first + index)
            .filter((row) => !run.continues(view.slot, row))
            .map((row) => spans.start[row])
        : [],
  };
  if (!run.sequencer) {
    found.divergence = fixed(
      "some lanes of a warp stop and others continue",
      starts((row) => spans.activity[row] === run.issueActivity && run.parts(row)),
    );
    found.barrier = fixed("a warp arrives at a barrier", sorted(tables.barriers.time));
    found.miss = fixed(
      "a load does not find its line in the first cache",
      sorted(Array.from(tables.requests.time).filter((_, row) => run.word("requests", "outcome", row) === "miss")),
    );
  }
  const stores = run.program.instructions.map((instruction) => instruction.stores);
  found.store =
    run.sequencer && tables.memory
      ? fixed("memory changes", sorted(tables.memory.time))
      : fixed(
          "a warp issues a store",
          starts((row) => spans.activity[row] === run.issueActivity && stores[spans.pc[row]]),
        );
  if (tables.memory && !run.sequencer) found["memory change"] = fixed("a word of memory changes", sorted(tables.memory.time));
  if (tables.fragments) found.fragment = fixed("a fragment comes to the output merger", sorted(tables.fragments.time));
  const launches = [];
  for (const slot of run.slots)
    for (let row = slot.first; row < slot.last; row++)
      if (row === slot.first || spans.block[row] !== spans.block[row - 1] || spans.rank[row] !== spans.rank[row - 1])
        launches.push(spans.start[row]);
  found.launch = fixed("a warp starts", sorted(launches));
  found.breakpoint = { meaning: "a warp issues an instruction with a breakpoint", times: (view) => view.app.transport.stops(view) };
  return Object.fromEntries(
    Object.entries(found).filter(([name, kind]) => all || ["issue", "state", "breakpoint"].includes(name) || kind.times().length),
  );
}

/** The next time after a cycle, or -1. */
export function nextTime(times, cycle) {
  const place = after(times, cycle);
  return place < times.length ? times[place] : -1;
}

/** The last time before a cycle, or -1. */
export function previousTime(times, cycle) {
  return times[after(times, cycle - 1) - 1] ?? -1;
}
