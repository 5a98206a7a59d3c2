// The run's counters and the machine's settings, each explained where the pointer rests on it.

import { el, grouped, term } from "explorer/dom.js";

export class NumbersView {
  constructor(host, view, app) {
    const { run } = view,
      others = app.views.filter((one) => one !== view).map((one) => one.run);
    const differs = (kind, name) => others.some((other) => kind(other)[name] !== kind(run)[name]);
    const row = (kind, name, text) =>
      el(`tr${differs(kind, name) ? ".differs" : ""}`, {}, el("td", {}, term(name)), el("td.number", {}, text));
    const counters = (one) => one.run.counters,
      settings = (one) => one.machine.config;
    const counted = Object.entries(run.run.counters).filter(([name, value]) => value || differs(counters, name));
    host.append(
      others.length ? el("p.quiet", {}, "Marked: what differs in the other run.") : "",
      el("h3", {}, "counters"),
      el(
        "table.numbers",
        {},
        el(
          "tbody",
          {},
          counted.map(([name, value]) => row(counters, name, grouped(value))),
        ),
      ),
      el("h3", {}, "settings"),
      el(
        "table.numbers",
        {},
        el(
          "tbody",
          {},
          Object.entries(run.machine.config).map(([name, value]) => row(settings, name, String(value))),
        ),
      ),
    );
  }

  draw() {}
}
