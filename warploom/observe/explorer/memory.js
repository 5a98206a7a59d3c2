// Memory in a cycle: bytes or words, what has changed, and who wrote it. Views of a program (buffers, images) can be chosen by name.

import { elementAt } from "explorer/elements.js";
import { el, looksFloat, looksWhole, term, valueText } from "explorer/dom.js";

const MOST_ROWS = 96,
  MOST_BYTES = 32, // of a row; fewer where they would not all be in view
  LEAST_BYTES = 4;

export class MemoryView {
  constructor(host, view, app) {
    Object.assign(this, { view, app, run: view.run, first: 0, style: "auto", follow: true, rowBytes: MOST_BYTES });
    const { program } = this.run;
    this.bytes = program.value_bits === 8;
    this.where = el(
      "select",
      { "aria-label": "what part of memory", change: (event) => this.#jump(Number(event.target.value)) },
      el("option", { value: 0 }, "all of memory"),
      program.views.map((one) => el("option", { value: one.base }, `${one.name}: ${one.bytes} bytes from ${this.#address(one.base)}`)),
      this.run.run.regions.map((one) => el("option", { value: one.start }, `${one.name}: ${one.bytes} bytes from ${this.#address(one.start)}`)),
    );
    const styles = el(
      "select",
      {
        "aria-label": "how numbers are written",
        change: (event) => {
          this.style = event.target.value;
          app.redraw();
        },
      },
      ["auto", "unsigned", "signed", "hex", "float"].map((name) => el("option", {}, name)),
    );
    const shape = el(
      "button.small",
      {
        click: (event) => {
          this.bytes = !this.bytes;
          event.target.textContent = this.bytes ? "bytes" : "words";
          app.redraw();
        },
      },
      this.bytes ? "bytes" : "words",
    );
    this.followBox = el("input", {
      type: "checkbox",
      checked: true,
      change: (event) => {
        this.follow = event.target.checked;
        app.redraw();
      },
    });
    this.note = el("p.quiet");
    this.body = el("div.memory", { tabindex: 0, "aria-label": "memory" });
    this.log = el("div.log");
    host.append(
      el("h3.bar", {}, this.where, shape, styles, el("label", {}, this.followBox, " follow writes")),
      this.note,
      this.body,
      el("h3", {}, "latest writes"),
      this.log,
    );
  }

  /** The address of a byte: in one flat memory, where it is; in one of regions, counted from the base of its own. */
  #address(place) {
    const region = this.run.run.regions.findLast((one) => one.start <= place);
    return region ? `0x${(region.base + place - region.start).toString(16)}` : String(place);
  }

  #jump(address) {
    this.first = Math.floor(address / this.rowBytes) * this.rowBytes;
    this.follow = this.followBox.checked = false;
    this.app.redraw();
  }

  /** Show the row of a place of memory, marked, whatever is written next. */
  goTo(place) {
    this.marked = place;
    this.#jump(place);
  }

  draw() {
    const { run, view } = this,
      { memory } = run,
      changes = memory.changes;
    memory.at(view.cycle);
    const covered = run.sequencer || view.cycle < run.run.until;
    this.note.textContent = !changes
      ? "Nothing was recorded: this is memory before the run."
      : covered
        ? ""
        : `The recording was full in cycle ${run.run.until}: memory as it was then.`;
    this.note.hidden = !this.note.textContent;
    const last = memory.applied - 1,
      room = Math.max(4, Math.floor(this.body.clientHeight / 20) - 1);
    if (this.follow && changes && last >= 0) {
      const address = changes.word[last] * 4;
      if (address < this.first || address >= this.first + (room - 1) * this.rowBytes)
        this.first = Math.max(0, Math.floor(address / this.rowBytes) - 2) * this.rowBytes;
    }
    const shape = [this.body.offsetWidth, this.bytes, this.style].join();
    if (shape !== this.shape) {
      this.shape = shape;
      this.rowBytes = MOST_BYTES;
    }
    this.first -= this.first % this.rowBytes;
    const fresh = last >= 0 && changes.time[last] === view.cycle ? view.cycle : -1;
    const key = [memory.applied, fresh, this.first, this.rowBytes, this.bytes, this.style, this.marked].join();
    if (key === this.drawn) return;
    this.drawn = key;
    const end = Math.min(run.run.memory_bytes, this.first + MOST_ROWS * this.rowBytes);
    const rows = [];
    for (let address = this.first; address < end; address += this.rowBytes) rows.push(this.#row(address, end));
    const top = this.body.scrollTop,
      step = this.bytes ? 1 : 4;
    const head = el(
      "tr",
      {},
      el("th", {}, "byte"),
      Array.from({ length: this.rowBytes / step }, (_, index) => el("th", {}, String(index * step))),
    );
    const more = [];
    if (this.first > 0)
      more.push(el("button.small", { click: () => this.#jump(Math.max(0, this.first - MOST_ROWS * this.rowBytes)) }, "earlier addresses"));
    const after = end < run.run.memory_bytes ? el("button.small", { click: () => this.#jump(end) }, "later addresses") : null;
    this.body.replaceChildren(...more, el("table.matrix", {}, el("thead", {}, head), el("tbody", {}, rows)), ...(after ? [after] : []));
    if (this.body.scrollWidth > this.body.clientWidth && this.rowBytes > LEAST_BYTES) {
      this.rowBytes /= 2;
      return this.draw();
    }
    this.body.scrollTop = top;
    this.#latest(last);
  }

  #row(address, end) {
    const { run, view } = this,
      { memory } = run,
      step = this.bytes ? 1 : 4,
      cells = [];
    for (let at = address; at < Math.min(end, address + this.rowBytes); at += step) {
      const word = at >> 2,
        writer = memory.changes ? memory.writer(word, view.cycle) : -1;
      const value = this.bytes ? memory.bytes[at] : memory.words[word];
      const old =
        writer < 0 ? value : this.bytes ? (memory.changes.old[writer] >>> ((at & 3) * 8)) & 255 : memory.changes.old[writer] >>> 0;
      const fresh = writer >= 0 && memory.changes.time[writer] === view.cycle && old !== value;
      const touched = writer >= 0 && (!this.bytes || this.#byteChanged(word, at & 3));
      const text =
        this.bytes && this.style !== "hex"
          ? String(value)
          : this.bytes
            ? value.toString(16).padStart(2, "0")
            : valueText(value, this.styleAt(at));
      cells.push(
        el(
          `td${this.marked >= at && this.marked < at + step ? ".chosen" : ""}${fresh ? ".changed" : touched ? ".written" : ""}${value ? "" : ".zero"}`,
          writer < 0 ? { title: elementAt(run.program, at) || undefined } : { "data-hint": this.#who(writer), click: () => this.app.go(memory.changes.time[writer], view) },
          text,
        ),
      );
    }
    return el("tr", {}, el("th", {}, this.#address(address)), cells);
  }

  /**
   * How the words at an address are written: as the reader has chosen, or one way for all words of a buffer or an image. An image's texels
   * are colours, in hexadecimal digits. A buffer's words are floats where all of them look like floats or are 0 now or before the run.
   */
  styleAt(address) {
    if (this.style !== "auto") return this.style;
    const { run } = this,
      one = run.program.views.find(({ base, bytes }) => address >= base && address < base + bytes);
    if (!one) return "auto";
    if (one.width > 0) return "hex";
    this.styles ??= new Map();
    if (!this.styles.has(one.name)) {
      const words = run.memory.words.subarray(one.base >> 2, (one.base + one.bytes) >> 2),
        changes = run.memory.changes,
        seen = new Set(words);
      for (let row = 0; changes && row < changes.rows; row++)
        if (changes.word[row] * 4 >= one.base && changes.word[row] * 4 < one.base + one.bytes) {
          seen.add(changes.new[row] >>> 0);
          seen.add(changes.old[row] >>> 0);
        }
      seen.delete(0);
      const all = (test) => seen.size > 0 && [...seen].every(test);
      this.styles.set(one.name, all(looksFloat) ? "float" : all((word) => word < 0x80000000) ? "unsigned" : all(looksWhole) ? "signed" : "hex");
    }
    return this.styles.get(one.name);
  }

  #byteChanged(word, byte) {
    const { changes, rowsOf } = this.run.memory;
    return (rowsOf.get(word) || []).some(
      (row) => changes.time[row] <= this.view.cycle && ((changes.old[row] ^ changes.new[row]) >>> (byte * 8)) & 255,
    );
  }

  #who(row) {
    const { core, warp, time, word, old, new: fresh } = this.run.memory.changes,
      { run } = this;
    const style = run.program.value_bits === 8 ? "hex" : this.styleAt(word[row] * 4);
    const name =
      core[row] < 0
        ? "several threads"
        : run.sequencer
          ? `thread ${warp[row]} of core ${core[row]}`
          : this.#warp(core[row], warp[row], time[row]);
    const element = elementAt(run.program, word[row] * 4) || `word at ${this.#address(word[row] * 4)}`;
    return `${element}: ${valueText(old[row] >>> 0, style)} became ${valueText(fresh[row] >>> 0, style)}, written by ${name} in cycle ${time[row]}`;
  }

  #warp(core, warp, time) {
    const { run } = this,
      slot = run.slots.find((one) => one.core === core && one.warp === warp);
    const span = slot ? run.spanAt(slot, time) : -1;
    return span < 0 ? `warp ${core}:${warp}` : `${run.warpName(span)}, ${run.where(run.spans.pc[span])}`;
  }

  #latest(last) {
    const { changes } = this.run.memory,
      items = [];
    for (let row = last; row >= 0 && items.length < 6; row--)
      items.push(el("li", {}, el("button.cause", { click: () => this.app.go(changes.time[row], this.view) }, this.#who(row))));
    this.log.replaceChildren(items.length ? el("ol.chain", {}, items) : el("p.quiet", {}, "nothing has been written so far"));
  }
}

/** Shared memory by bank: a column per bank. */
export class SharedView {
  constructor(host, view, app) {
    Object.assign(this, { view, app, run: view.run, core: 0 });
    this.head = el("p.quiet");
    this.body = el("div.memory.shared");
    host.append(el("h3.bar", {}, term("shared memory"), term("bank", "by bank")), this.head, this.body);
  }

  draw() {
    const { run, view } = this,
      table = run.tables.shared,
      config = run.machine.config;
    const core = view.slot?.core ?? 0,
      banks = config["shared.banks"],
      wide = config["shared.bank_bytes"];
    const words = new Map();
    for (let row = 0; row < table.rows && table.time[row] <= view.cycle; row++)
      if (table.core[row] === core) words.set(table.word[row], row);
    this.head.textContent = `core ${core}: ${banks} banks of ${wide} byte${wide > 1 ? "s" : ""}; ${words.size} words written so far`;
    const cells = new Map(); // by the place of a bank's word: [value, row]
    for (const [word, row] of words) {
      for (let byte = 0; byte < 4; byte += Math.min(4, wide)) {
        const place = Math.floor((word * 4 + byte) / wide);
        const value = wide >= 4 ? table.new[row] >>> 0 : (table.new[row] >>> (byte * 8)) & (2 ** (8 * wide) - 1);
        cells.set(place, [value, row]);
      }
    }
    const rows = [...new Set([...cells.keys()].map((place) => Math.floor(place / banks)))]
      .sort((one, other) => one - other)
      .slice(0, MOST_ROWS);
    const head = el(
      "tr",
      {},
      el("th", {}, "byte"),
      Array.from({ length: banks }, (_, bank) => el("th", {}, String(bank))),
    );
    const body = rows.map((line) =>
      el(
        "tr",
        {},
        el("th", {}, String(line * banks * wide)),
        Array.from({ length: banks }, (_, bank) => this.#cell(cells.get(line * banks + bank))),
      ),
    );
    this.body.replaceChildren(el("table.matrix", {}, el("thead", {}, head), el("tbody", {}, body)));
  }

  #cell(found) {
    if (!found) return el("td.zero", {}, "·");
    const [value, row] = found,
      { time, warp } = this.run.tables.shared;
    return el(
      `td${time[row] === this.view.cycle ? ".changed" : ".written"}${value ? "" : ".zero"}`,
      { "data-hint": `written by warp ${this.view.slot?.core ?? 0}:${warp[row]} in cycle ${time[row]}`, click: () => this.app.go(time[row], this.view) },
      valueText(value, "auto"),
    );
  }
}
