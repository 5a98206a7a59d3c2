// The block diagram of a machine whose cores run one instruction at a time, with its signals lit: who does what, and who waits for whom.

import { el } from "explorer/dom.js";
import { waits } from "explorer/waits.js";

const WIDTH = 780,
  CORES = 2,
  THREADS = 4,
  SVG = "http://www.w3.org/2000/svg";
export const CHANNEL = { 0: "idle", 2: "reads", 3: "writes", 4: "answers a read", 5: "answers a write" };
export const LSU = ["idle", "asks", "waits", "done"];
const DECODED = ["decode", "request", "wait", "execute", "update"]; // the states in which the decoder has an instruction
const FETCHER = ["idle", "fetching", "fetched", "looks up"];

export class Diagram {
  constructor(host, view, app) {
    Object.assign(this, { view, app, run: view.run, updates: [], shown: "" });
    this.place = el("div.diagram");
    this.sentences = el("div.waits");
    host.append(this.place, this.sentences);
  }

  draw() {
    const core = this.view.slot?.core ?? 0,
      first = core - (core % CORES),
      thread = this.view.lane - (this.view.lane % THREADS);
    if (this.shown !== `${first} ${thread}`) {
      this.shown = `${first} ${thread}`;
      this.#build(first, thread);
    }
    for (const update of this.updates) update(this.view.cycle);
    const found = waits(this.run, this.view.cycle);
    const items = found.map(({ text, core: of, from }) =>
      el(
        "li",
        {},
        el(
          "button.cause",
          {
            click: () => {
              this.view.select(this.run.slots.find((slot) => slot.core === of) ?? this.view.slot);
              this.app.redraw();
            },
          },
          el("span", {}, text),
          el("span.when", {}, `since ${from}`),
        ),
      ),
    );
    this.sentences.replaceChildren(
      el("h3", {}, "what waits for what"),
      items.length ? el("ol.chain", {}, items) : el("p.quiet", {}, "Nothing waits in this cycle."),
    );
  }

  at(name, cycle) {
    return this.run.signals.at(name, cycle) ?? 0;
  }

  #build(first, thread) {
    this.updates = [];
    const { machine } = this.run,
      cores = Math.min(CORES, machine.cores - first),
      threads = Math.min(THREADS, machine.lanes - thread);
    const wide = cores > 1 ? 380 : 560,
      left = (WIDTH - cores * wide - (cores - 1) * 12) / 2;
    const svg = shape("svg", { viewBox: `0 0 ${WIDTH} 500`, role: "img", "aria-label": "block diagram of the machine" });
    this.frames = shape("g", {});
    this.wires = shape("g", {});
    svg.append(this.frames, this.wires);
    this.#front(svg);
    for (let index = 0; index < cores; index++) this.#core(svg, first + index, left + index * (wide + 12), wide, thread, threads, left);
    if (machine.cores > CORES)
      text(svg, 560, 28, `cores ${first} and ${first + cores - 1} of ${machine.cores}; choose others above`, "title");
    this.#controller(svg, "prog_ctrl", "program memory", 4, 232, first, cores);
    this.#controller(svg, "data_ctrl", "data memory", 246, 530, first, cores);
    this.place.replaceChildren(svg);
  }

  /** The device control register and the dispatcher. */
  #front(svg) {
    this.#block(svg, 4, 4, 190, 40, "device control register", (cycle) => [`${this.at("thread_count", cycle)} threads`, false]);
    this.#block(svg, 290, 4, 250, 40, "dispatcher", (cycle) => {
      const sent = this.at("blocks_dispatched", cycle),
        ended = this.at("blocks_done", cycle),
        all = Math.ceil(this.at("thread_count", cycle) / this.run.lanes);
      return [`${sent} of ${all} blocks started, ${ended} ended`, sent > 0 && ended < all];
    });
    this.#wire("M194 24H290", (cycle) => cycle < 2);
  }

  #core(svg, core, x, wide, firstThread, threads) {
    const signal = (name) => `cores.${core}.${name}`,
      state = (cycle) => this.at(signal("core_state"), cycle);
    const states = this.app.common.states;
    this.#wire(`M415 44V52H${x + wide / 2}V60`, (cycle) => this.at(signal("start"), cycle) && states[state(cycle)] !== "done");
    const frame = this.#box(svg, x, 60, wide, 290, "frame");
    const title = text(svg, x + 10, 76, "", "title");
    title.dataset.term = "core";
    this.updates.push((cycle) => {
      const running = !["idle", "done"].includes(states[state(cycle)]);
      frame.classList.toggle("lit", running);
      frame.classList.toggle("chosen", this.view.slot?.core === core);
      title.textContent = `core ${core}: ${running ? `block ${this.at(signal("block_id"), cycle)}, ${this.at(signal("thread_count"), cycle)} threads` : states[state(cycle)]}`;
    });
    const step = (wide - 20) / 6;
    ["fetch", "decode", "request", "wait", "execute", "update"].forEach((name, index) => {
      const box = this.#box(svg, x + 10 + index * step, 84, step - 3, 20, "state"),
        label = text(svg, x + 10 + index * step + (step - 3) / 2, 98, name, "name");
      box.dataset.term = label.dataset.term = `state ${name}`;
      this.updates.push((cycle) => {
        const on = states[state(cycle)] === name,
          look = this.app.paint.states[name];
        box.style.fill = on ? look.css : "";
        label.style.fill = on ? (look.rgb[0] * 0.3 + look.rgb[1] * 0.6 + look.rgb[2] * 0.1 > 120 ? "#111" : "#fff") : "";
      });
    });
    const half = (wide - 26) / 2;
    this.#block(svg, x + 10, 112, half, 40, "fetcher", (cycle) => [
      `PC ${this.at(signal("current_pc"), cycle)}: ${FETCHER[this.at(signal("fetcher_state"), cycle)]}`,
      states[state(cycle)] === "fetch",
    ]);
    this.#block(svg, x + 16 + half, 112, half, 40, "decoder", (cycle) => [
      DECODED.includes(states[state(cycle)]) ? this.#decoded(core, cycle) : "no instruction",
      states[state(cycle)] === "decode",
    ]);
    this.#wire(`M${x + 10 + half} 132H${x + 16 + half}`, (cycle) => states[state(cycle)] === "decode");
    this.#wire(`M${x + 30} 152V${core % 2 ? 358 : 354}H${60 + (core % 2) * 60}V370`, (cycle) => this.at(signal("fetch_valid"), cycle));
    const each = (wide - 20) / threads;
    for (let index = 0; index < threads; index++) this.#thread(svg, core, firstThread + index, x + 10 + index * each, each - 4);
  }

  #decoded(core, cycle) {
    const pc = this.at(`cores.${core}.current_pc`, cycle);
    return this.run.program.instructions[pc]?.text ?? "";
  }

  /** A thread: its registers' two ports, ALU, load/store unit and program counter, one below the other. */
  #thread(svg, core, thread, x, wide) {
    const signal = (name) => `cores.${core}.threads.${thread}.${name}`;
    const states = this.app.common.states,
      state = (cycle) => states[this.at(`cores.${core}.core_state`, cycle)];
    const runs = (cycle) => thread < this.at(`cores.${core}.thread_count`, cycle) && !["idle", "done"].includes(state(cycle));
    const label = text(svg, x + wide / 2, 168, `thread ${thread}`, "name");
    label.addEventListener("click", () => {
      this.view.select(
        this.run.slots.find((slot) => slot.core === core),
        thread,
      );
      this.app.redraw();
    });
    this.updates.push((cycle) => {
      label.style.opacity = runs(cycle) ? 1 : 0.4;
    });
    const rows = [
      [
        "registers",
        (cycle) => {
          const [rs, rt] = [this.at(signal("rs"), cycle), this.at(signal("rt"), cycle)],
            named = `RS ${rs} RT ${rt}`;
          return [named.length <= room(wide) ? named : `${rs}, ${rt}`, ["request", "update"].includes(state(cycle))];
        },
      ],
      ["alu", (cycle) => [String(this.at(signal("alu_out"), cycle)), state(cycle) === "execute"]],
      ["lsu", (cycle) => this.#lsu(signal, cycle)],
      ["program counter", (cycle) => [String(this.at(signal("next_pc"), cycle)), ["execute", "update"].includes(state(cycle))]],
    ];
    rows.forEach(([name, tell], index) =>
      this.#block(svg, x, 173 + index * 43, wide, 38, name, (cycle) => [tell(cycle)[0], runs(cycle) && tell(cycle)[1]]),
    );
    const channels = this.run.machine.config["memory.data_channels"];
    this.#wire(
      `M${x + wide - 5} 297V${356 + (thread % 4)}H${250 + ((core % 2) * 4 + (thread % 4)) * 62}V370`,
      (cycle) => this.at(signal("rv"), cycle) || this.at(signal("wv"), cycle),
      channels,
    );
  }

  #lsu(signal, cycle) {
    const state = this.at(signal("lsu_state"), cycle),
      writes = this.at(signal("wv"), cycle),
      reads = this.at(signal("rv"), cycle);
    if (writes) return [`@${this.at(signal("wa"), cycle)} ← ${this.at(signal("wd"), cycle)}`, true];
    if (reads) return [`${LSU[state]} @${this.at(signal("ra"), cycle)}`, true];
    return [state === 3 ? `done: ${this.at(signal("lsu_out"), cycle)}` : LSU[state], state > 0];
  }

  /** A controller with its channels, and the memory behind it. */
  #controller(svg, name, memory, x, wide) {
    const channels = [];
    while (this.run.signals.number.has(`${name}.channels.${channels.length}.state`)) channels.push(`${name}.channels.${channels.length}`);
    const box = this.#box(svg, x, 370, wide, 80, "frame");
    const label = text(
      svg,
      x + 10,
      385,
      `${memory} controller${channels.length > 8 ? `, channels 0 to 7 of ${channels.length}` : ""}`,
      "title",
    );
    label.dataset.term = "controller";
    const each = (wide - 16) / Math.min(channels.length, 8);
    channels.slice(0, 8).forEach((channel, index) => {
      const lit = (cycle) => this.at(`${channel}.state`, cycle) !== 0;
      this.#block(svg, x + 8 + index * each, 391, each - 4, 52, "channel", (cycle) => [
        CHANNEL[this.at(`${channel}.state`, cycle)] ?? "",
        lit(cycle),
        this.#served(name, channel, cycle),
      ]);
      const middle = x + 8 + index * each + each / 2;
      this.#wire(`M${middle} 443V462`, (cycle) => this.at(`${channel}.rv`, cycle) || this.at(`${channel}.wv`, cycle));
    });
    this.#block(svg, x, 462, wide, 34, memory, (cycle) => {
      const busy = channels.filter((channel) => this.at(`${channel}.rv`, cycle) || this.at(`${channel}.wv`, cycle));
      return [
        busy.length
          ? busy
              .slice(0, 4)
              .map((channel) =>
                this.at(`${channel}.wv`, cycle)
                  ? `[${this.at(`${channel}.wa`, cycle)}] ← ${this.at(`${channel}.wd`, cycle)}`
                  : `[${this.at(`${channel}.ra`, cycle)}]`,
              )
              .join("   ")
          : "",
        busy.length > 0,
      ];
    });
    this.updates.push((cycle) =>
      box.classList.toggle(
        "lit",
        channels.some((channel) => this.at(`${channel}.state`, cycle) !== 0),
      ),
    );
  }

  #served(name, channel, cycle) {
    if (!this.at(`${channel}.state`, cycle)) return "";
    const consumer = this.at(`${channel}.consumer`, cycle),
      lanes = this.run.lanes;
    return name === "prog_ctrl" ? `core ${consumer}` : `core ${Math.floor(consumer / lanes)} thread ${consumer % lanes}`;
  }

  /** A unit: its name, and what it holds. tell(cycle): [text, lit, second line]. */
  #block(svg, x, y, wide, tall, name, tell) {
    const box = this.#box(svg, x, y, wide, tall, "unit"),
      label = text(svg, x + wide / 2, y + 13, wide < 90 && name === "program counter" ? "PC" : name, "name");
    const value = text(svg, x + wide / 2, y + 28, "", "value"),
      second = tall > 48 ? text(svg, x + wide / 2, y + 43, "", "name") : null;
    box.dataset.term = label.dataset.term = value.dataset.term = name;
    const most = room(wide);
    this.updates.push((cycle) => {
      const [words, lit, more] = tell(cycle);
      value.textContent = words.length > most ? `${words.slice(0, most - 1)}…` : words;
      if (second) second.textContent = more || "";
      box.classList.toggle("lit", Boolean(lit));
    });
  }

  #box(svg, x, y, width, height, kind) {
    const box = shape("rect", { x, y, width, height, rx: 4, class: kind });
    (kind === "frame" ? this.frames : svg).append(box);
    return box;
  }

  #wire(path, lit) {
    const wire = shape("path", { d: path, class: "wire" });
    this.wires.append(wire);
    this.updates.push((cycle) => wire.classList.toggle("lit", Boolean(lit(cycle))));
  }
}

/** Characters that fit into a block. */
function room(wide) {
  return Math.floor(wide / 7.9);
}

function shape(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

function text(svg, x, y, words, kind) {
  const element = shape("text", { x, y, class: kind });
  element.textContent = words;
  svg.append(element);
  return element;
}
