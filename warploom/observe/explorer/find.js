// The search box: a line, an array or one of its elements, a thread, a cycle, or a piece of the source.

import { el } from "explorer/dom.js";
import { grouped } from "explorer/dom.js";
import { numberOf, rowOf } from "explorer/line_numbers.js";

/** What may be typed: [pattern, what it does with what was found]. */
const KINDS = [
  [/^(?:cycle|@)\s*(\d+)$/i, (app, [cycle]) => (app.go(Number(cycle)), `cycle ${grouped(Number(cycle))}`)],
  [/^(?:line|l)\s*(\d+)$/i, (app, [line]) => toLine(app, rowOf(app.source.run.program, Number(line)))],
  [/^block\s*(\d+)(?:\s*,?\s*thread\s*(\d+))?$/i, (app, [block, thread]) => toThread(app, Number(block), Number(thread ?? 0))],
  [/^thread\s*(\d+)\s*(?:of\s*)?block\s*(\d+)$/i, (app, [thread, block]) => toThread(app, Number(block), Number(thread))],
  [/^warp\s*(\d+)[:.](\d+)$/i, (app, [core, warp]) => toWarp(app, Number(core), Number(warp))],
  [/^([A-Za-z_]\w*)\s*\[([-\d,\s]+)\]$/, (app, [name, indices]) => toArray(app, name, indices.split(",").map(Number))],
  [/^([A-Za-z_]\w*)$/, (app, [name]) => toArray(app, name, null)],
];

export class Find {
  constructor(host, app) {
    this.app = app;
    this.field = el("input.find", {
      type: "search",
      placeholder: "find: line 12, a[37], block 3 thread 17, cycle 900",
      "aria-label": "find a line, an array, a thread or a cycle",
      "data-hint": "line 12, a[37], block 3 thread 17, cycle 900, or a piece of the source (f)",
      keydown: (event) => {
        if (event.key === "Enter") this.look();
        if (event.key === "Escape") this.field.blur();
        event.stopPropagation();
      },
    });
    host.append(this.field);
  }

  look() {
    const text = this.field.value.trim();
    if (!text) return;
    const said = find(this.app, text);
    this.app.say(said ?? `nothing here is called ${text}`);
    this.app.redraw();
  }
}

/** Go where a text leads; returns what was found as a sentence, or null. */
export function find(app, text) {
  for (const [pattern, act] of KINDS) {
    const match = text.match(pattern);
    const said = match && act(app, match.slice(1));
    if (said) return said;
  }
  const rows = app.source.rows,
    line = rows.findIndex(({ element }) => element.querySelector("pre").textContent.includes(text)) + 1;
  return line ? toLine(app, line) : null;
}

function toLine(app, line) {
  return app.source.reveal(line) ? `line ${numberOf(app.source.run.program, line)}` : null;
}

/** The warp of a thread, in the first cycle in which it is there. */
function toThread(app, block, thread) {
  const { run } = app.leader,
    { lanes } = run,
    { block: blocks, rank, start } = run.spans;
  for (const slot of run.slots)
    for (let row = slot.first; row < slot.last; row++)
      if (blocks[row] === block && (run.sequencer || rank[row] === Math.floor(thread / lanes))) {
        app.leader.select(slot, thread % lanes);
        app.go(start[row]);
        app.leader.timeline.revealSlot(slot);
        return `thread ${thread} of block ${block}: ${slot.label}, lane ${thread % lanes}`;
      }
  return null;
}

function toWarp(app, core, warp) {
  const slot = app.leader.run.slots.find((one) => one.core === core && one.warp === warp);
  if (!slot) return null;
  app.leader.select(slot);
  app.leader.timeline.revealSlot(slot);
  return slot.label;
}

/** The place of an array in memory, or of one of its elements. */
function toArray(app, name, indices) {
  const { run } = app.leader,
    view = run.program.views.find((one) => one.name === name),
    region = run.run.regions.find((one) => one.name === name);
  if (!view && !region) return null;
  let place = view ? view.base : region.start;
  const { shape, item } = view ?? {};
  if (indices) {
    if (!shape?.length && indices.length !== 1) return null;
    const extents = shape?.length ? shape : [Infinity];
    if (indices.length !== extents.length || indices.some((index, axis) => !(index >= 0 && index < extents[axis]))) return null;
    place += indices.reduce((sum, index, axis) => sum * (axis ? extents[axis] : 1) + index, 0) * (item || 4);
  }
  const pane = app.leader.panes.find((one) => one.tabs.some((tab) => tab.name === "memory"));
  pane.show("memory");
  pane.draw();
  pane.shown.made.goTo(place);
  return indices ? `${name}[${indices.join(", ")}]` : name;
}
