// The launches of the program that the run is one of, with their times; those that the page shows are marked.

import { el, grouped } from "explorer/dom.js";

const extent = (sizes) => sizes.filter((size, axis) => !axis || sizes.slice(axis).some((one) => one > 1)).join("×");

/** A table of all launches, or null where there is none. launches: { rows, shown: numbers of those in the page }. */
export function launchTable(launches) {
  if (!launches?.rows.length) return null;
  const { rows, shown } = launches,
    last = rows.at(-1),
    whole = last.begins + last.cycles || 1;
  const bar = ({ begins, cycles }) => el("td.bar", {}, el("i", { style: `margin-left:${(100 * begins) / whole}%;width:${Math.max(0.5, (100 * cycles) / whole)}%` }));
  const row = (one) =>
    el(
      `tr${shown.includes(one.launch) ? ".chosen" : ""}`,
      { title: `warploom explore FILE --launch ${one.launch}`, "aria-current": shown.includes(one.launch) ? "true" : undefined },
      el("td.number", {}, String(one.launch)),
      el("th", {}, one.kernel),
      el("td", {}, `${extent(one.grid)} blocks of ${extent(one.block)}`),
      el("td.number", {}, grouped(one.begins)),
      el("td.number", {}, grouped(one.cycles)),
      bar(one),
      el("td", {}, one.waits_for),
    );
  const titles = ["", "kernel", "grid", "begins", "cycles", "when", "mostly waits for"];
  return el(
    "details.launches",
    {},
    el("summary", {}, `${rows.length === 1 ? "the only launch" : `${rows.length} launches`} of the program, ${grouped(whole)} cycles`),
    el("table.light", {}, el("thead", {}, el("tr", {}, titles.map((title) => el("th", {}, title)))), el("tbody", {}, rows.map(row))),
  );
}
