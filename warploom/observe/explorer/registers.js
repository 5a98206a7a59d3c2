// Registers of the chosen warp: all lanes, one lane, or one register over all lanes.

import { asFloat, el, term, valueText } from "explorer/dom.js";
import { holds } from "explorer/elements.js";

const MODES = ["all lanes", "one lane", "one register"];
const STYLES = ["auto", "unsigned", "signed", "hex", "float"];

export class Registers {
  constructor(host, view, app) {
    Object.assign(this, { view, app, run: view.run, mode: MODES[0], style: "auto", register: 0 });
    const choose = (values, key, label) =>
      el(
        "select",
        {
          "aria-label": label,
          change: (event) => {
            this[key] = event.target.value;
            app.redraw();
          },
        },
        values.map((value) => el("option", {}, value)),
      );
    const { program } = this.run;
    this.which = el(
      "select",
      {
        "aria-label": "register",
        change: (event) => {
          this.register = Number(event.target.value);
          app.redraw();
        },
      },
      program.registers.map((name, number) => (name ? el("option", { value: number }, name) : null)),
    );
    this.modes = choose(MODES, "mode", "which registers");
    this.body = el(`div.registers${program.statements ? ".folded" : ""}`);
    const all = el("input", { type: "checkbox", change: (event) => this.body.classList.toggle("folded", !event.target.checked) });
    const unfold = program.statements ? el("label", {}, all, " also those without a name") : null;
    host.append(el("h3.bar", {}, term("registers"), this.modes, unfold, this.which, choose(STYLES, "style", "how numbers are written")), this.body);
  }

  draw(span) {
    const { view, run } = this;
    this.which.hidden = this.mode !== MODES[2];
    const full = !run.sequencer && view.cycle >= run.run.until;
    if (span < 0 || !run.hasRegisters || full) this.matrix = null;
    if (span < 0) return this.body.replaceChildren();
    if (!run.hasRegisters)
      return this.body.replaceChildren(
        el("p.quiet", {}, "This run was not recorded: run it with recording=True to see registers and memory."),
      );
    if (full) return this.body.replaceChildren(el("p.quiet", {}, `The recording was full: it covers cycles 0 to ${run.run.until - 1}.`));
    const mask = run.maskOf(run.spans, span);
    if (this.mode === MODES[0]) return this.#all(mask);
    this.matrix = null;
    this.body.replaceChildren(...(this.mode === MODES[1] ? this.#lane() : this.#one(mask)));
  }

  #value(word) {
    return valueText(word, this.run.program.value_bits === 8 && this.style === "auto" ? "unsigned" : this.style);
  }

  #shown() {
    return this.run.program.registers.map((name, number) => ({ name, number })).filter(({ name }) => name);
  }

  /** A row per register, a column per lane; only rows that are not what they were are made anew. */
  #all(mask) {
    const { run, view } = this,
      lanes = `${mask.map(Number).join("")} ${view.lane} ${this.style}`;
    if (!this.matrix) {
      this.matrix = {
        head: el("thead"),
        lanes: "",
        rows: this.#shown().map(({ name, number }) => ({ name, number, key: "", element: el("tr") })),
        scalars: el("tbody"),
      };
      this.body.replaceChildren(
        el(
          "table.matrix",
          {},
          this.matrix.head,
          el(
            "tbody",
            {},
            this.matrix.rows.map(({ element }) => element),
          ),
          this.matrix.scalars,
        ),
      );
    }
    if (this.matrix.lanes !== lanes) {
      this.matrix.lanes = lanes;
      const choose = (lane) => () => {
        view.select(view.slot, lane);
        this.app.redraw();
      };
      this.matrix.head.replaceChildren(
        el(
          "tr",
          {},
          el("th"),
          mask.map((on, lane) => el(`th${on ? "" : ".off"}${lane === view.lane ? ".chosen" : ""}`, { click: choose(lane) }, String(lane))),
        ),
      );
    }
    for (const row of this.matrix.rows) {
      const { values, time, before } = run.register(view.slot, row.number, view.cycle);
      const fresh = Boolean(before) && (time === view.cycle || run.sequencer);
      const name = holds(run, view.slot, Math.floor(row.number / run.program.lock_width), time);
      const key = `${name} ${view.slot.number} ${time} ${fresh} ${lanes} ${run.sequencer ? `${values} ${before}` : ""}`;
      if (key === row.key) continue;
      row.key = key;
      const cells = Array.from(values, (value, lane) =>
        el(
          `td${mask[lane] ? "" : ".off"}${fresh && before[lane] !== value ? ".changed" : ""}${lane === view.lane ? ".chosen" : ""}${value ? "" : ".zero"}`,
          {},
          this.#value(value),
        ),
      );
      const made = el(this.#kind(name), {}, el("th", { click: () => this.pick(row.number) }, named(name, row.name)), cells);
      row.element.replaceWith(made);
      row.element = made;
    }
    this.matrix.scalars.replaceChildren(...this.#scalars(run.lanes));
  }

  /** A row's kind: one that holds no variable is folded away where there are variables. */
  #kind(name) {
    return this.run.program.statements && !name ? "tr.nameless" : "tr";
  }

  /** Show one register over all lanes. */
  pick(number) {
    this.mode = this.modes.value = MODES[2];
    this.register = number;
    this.which.value = String(number);
    this.app.redraw();
  }

  #scalars(lanes) {
    const { run, view } = this;
    if (run.sequencer) return [];
    return run.program.scalars.map((name, number) => {
      if (!name) return "";
      const { value, time } = run.scalar(view.slot, number, view.cycle);
      const cell = `td.scalar${time === view.cycle ? ".changed" : ""}${value ? "" : ".zero"}`;
      const held = holds(run, view.slot, run.program.scalar_group + number, time);
      return el(this.#kind(held), {}, el("th", {}, named(held, name)), el(cell, { colspan: lanes }, this.#value(value)));
    });
  }

  #lane() {
    const { run, view } = this;
    const items = this.#shown().map(({ name, number }) => {
      const { values, time, before } = run.register(view.slot, number, view.cycle),
        value = values[view.lane];
      const changed = before && before[view.lane] !== value && (time === view.cycle || run.sequencer);
      return el(
        `div.cell${changed ? ".changed" : ""}${value ? "" : ".zero"}`,
        { click: () => this.pick(number) },
        el("b", {}, name),
        el("span", {}, this.#value(value)),
      );
    });
    return [el("p.quiet", {}, `lane ${view.lane}; [ and ] choose another`), el("div.cells", {}, items)];
  }

  #one(mask) {
    const { run, view } = this,
      { values, time, before } = run.register(view.slot, this.register, view.cycle);
    const texts = Array.from(values, (value) => this.#value(value));
    const float = texts.some((text) => text.includes("."));
    const sizes = Array.from(values, (value) => (float ? asFloat(value) : value)),
      most = Math.max(1e-30, ...sizes.map(Math.abs).filter(Number.isFinite));
    const rows = texts.map((text, lane) =>
      el(
        `tr${mask[lane] ? "" : ".off"}${lane === view.lane ? ".chosen" : ""}`,
        {
          click: () => {
            view.select(view.slot, lane);
            this.app.redraw();
          },
        },
        el("th", {}, String(lane)),
        el(`td${before && before[lane] !== values[lane] && time === view.cycle ? ".changed" : ""}`, {}, text),
        el("td.bar", {}, el("i", { style: `width:${Math.min(100, (100 * Math.abs(sizes[lane])) / most || 0).toFixed(0)}%` })),
      ),
    );
    return [
      el("p.quiet", {}, time < 0 ? "not written so far" : `written last in cycle ${time}`),
      el("table.one", {}, el("tbody", {}, rows)),
    ];
  }
}

/** A register's heading: the variable that it holds, with the register behind it. */
function named(variable, register) {
  return variable ? [el("b", {}, variable), el("span.quiet", {}, ` ${register}`)] : register;
}
