// Two runs at the same instruction: where the other run executes what the leading one executes.

import { grouped } from "explorer/search.js";

const known = new WeakMap();

/** Bring `other` to the cycle in which its own warp of the same block and rank issues the same instruction for the same time. */
export function matching(leader, other) {
  const { run, slot, cycle } = leader,
    span = slot ? run.spanAt(slot, cycle) : -1;
  if (span < 0) return;
  const key = `${run.spans.block[span]} ${run.spans.rank[span]} ${run.spans.pc[span]}`;
  const before = (issuesOf(run).get(key) || []).filter((row) => run.spans.start[row] < cycle).length;
  const rows = issuesOf(other.run).get(key);
  if (!rows) return;
  const row = rows[Math.min(before, rows.length - 1)],
    { core, warp, start } = other.run.spans;
  other.cycle = start[row];
  other.slot = other.run.slots.find((one) => one.core === core[row] && one.warp === warp[row]);
  other.lane = leader.lane;
}

/** The views of a page, those of the same program together. */
export function programsOf(views) {
  const text = ({ run }) => JSON.stringify(run.program.instructions.map((one) => one.text));
  return views.length === 1 || text(views[0]) === text(views[1]) ? [views] : views.map((view) => [view]);
}

/** Another piece of a run has been loaded. */
export function forget(run) {
  known.delete(run);
}

/** The issues of every instruction of every warp: rows of spans, in order. */
function issuesOf(run) {
  if (!known.has(run)) {
    const { block, rank, pc } = run.spans,
      found = grouped(run.issues.length, (index) => `${block[run.issues[index]]} ${rank[run.issues[index]]} ${pc[run.issues[index]]}`);
    for (const [key, list] of found)
      found.set(
        key,
        list.map((index) => run.issues[index]),
      );
    known.set(run, found);
  }
  return known.get(run);
}
