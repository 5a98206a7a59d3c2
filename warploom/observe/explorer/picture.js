// The picture that a run draws, as it grows: which fragments came to a pixel, of which triangle, quad, warp and lane, and what became of them.

import { counted, el, grouped, term } from "explorer/dom.js";
import { after, grouped as byKey } from "explorer/search.js";

const WIDE = 256, // pixels of the screen that the picture has at most, each way
  MODES = {
    colours: "what the output merger has written",
    triangles: "the triangle that has written a pixel last, a colour each",
    warps: "the warp that has written a pixel last, a colour each",
    fragments: "how many fragments have come to a pixel: bright is many",
    quads: "how many pixels of the last quad here are covered: bright is four, dark is one",
  };

export class PictureView {
  constructor(host, view, app) {
    Object.assign(this, { view, app, run: view.run, mode: "colours", chosen: null, triangle: -1 });
    const { fragments, quads } = this.run.tables,
      target = this.run.run.target;
    Object.assign(this, { fragments, quads, target, width: target.width, height: target.height });
    this.ofPixel = byKey(fragments.rows, (row) => fragments.y[row] * this.width + fragments.x[row]);
    this.ofTriangle = byKey(quads.rows, (row) => quads.triangle[row]);
    this.zoom = Math.max(1, Math.min(24, Math.floor(WIDE / Math.max(this.width, this.height))));
    this.small = el("canvas", { width: this.width, height: this.height });
    this.canvas = el("canvas.drawn", {
      width: this.width * this.zoom,
      height: this.height * this.zoom,
      tabindex: 0,
      role: "img",
      "aria-label": "the picture; click a pixel, or move with the arrow keys",
      click: (event) => this.#choose(this.#pixel(event)),
      pointermove: (event) => this.#tell(event),
      pointerleave: () => app.hint.hide(),
      keydown: (event) => this.#move(event),
    });
    const modes = el(
      "select",
      {
        "aria-label": "what the picture shows",
        change: (event) => {
          this.mode = event.target.value;
          app.redraw();
        },
      },
      Object.keys(MODES).map((name) => el("option", {}, name)),
    );
    this.note = el("span.quiet");
    this.about = el("div.pixel");
    host.append(el("h3.bar", {}, modes, this.note), el("div.drawing", {}, this.canvas, this.about));
  }

  draw() {
    const { fragments, view } = this,
      seen = after(fragments.time, view.cycle);
    const key = [seen, after(this.quads.time, view.cycle), this.mode, this.triangle, this.chosen, view.cycle].join();
    if (key === this.drawn) return;
    this.drawn = key;
    this.note.textContent = ` ${MODES[this.mode]}; ${grouped(seen)} of ${counted(fragments.rows, "fragment")} so far`;
    this.#paint(seen);
    this.#tellOfPixel();
  }

  #paint(seen) {
    const { width, height, zoom } = this,
      small = this.small.getContext("2d"),
      image = small.createImageData(width, height);
    new Uint32Array(image.data.buffer).set(this.#pixels(seen));
    small.putImageData(image, 0, 0);
    const large = this.canvas.getContext("2d");
    large.imageSmoothingEnabled = false;
    large.drawImage(this.small, 0, 0, width * zoom, height * zoom);
    large.lineWidth = 1;
    large.strokeStyle = "#ff2fd0";
    for (const row of this.ofTriangle.get(this.triangle) ?? [])
      if (this.quads.time[row] <= this.view.cycle)
        large.strokeRect(this.quads.x[row] * zoom + 0.5, this.quads.y[row] * zoom + 0.5, 2 * zoom - 1, 2 * zoom - 1);
    if (!this.chosen) return;
    const [x, y] = this.chosen;
    large.lineWidth = 2;
    large.strokeStyle = "#ffffff";
    large.strokeRect(x * zoom - 1, y * zoom - 1, zoom + 2, zoom + 2);
    large.strokeStyle = "#000000";
    large.strokeRect(x * zoom - 3, y * zoom - 3, zoom + 6, zoom + 6);
  }

  /** The pixels as words of an image: red in the lowest byte. */
  #pixels(seen) {
    const { fragments, quads, width, height, mode } = this,
      found = new Uint32Array(width * height);
    if (mode === "colours") found.set(this.#before());
    else found.fill(grey(24));
    if (mode === "quads") {
      const last = after(quads.time, this.view.cycle);
      for (let row = 0; row < last; row++) {
        const covered = ones(quads.covered[row]);
        for (let p = 0; p < 4; p++) {
          const [x, y] = [quads.x[row] + (p & 1), quads.y[row] + (p >> 1)];
          if (x < width && y < height) found[y * width + x] = grey(40 + 53 * covered);
        }
      }
      return found;
    }
    const counts = new Uint32Array(width * height),
      most = mode === "fragments" ? Math.max(...Array.from(this.ofPixel.values(), (rows) => rows.length)) : 1;
    for (let row = 0; row < seen; row++) {
      const at = fragments.y[row] * width + fragments.x[row];
      if (mode === "fragments") found[at] = grey(40 + Math.round((215 * ++counts[at]) / most));
      else if (fragments.color_after[row] < 0) continue;
      else if (mode === "colours") found[at] = opaque(fragments.color_after[row]);
      else found[at] = hue(mode === "triangles" ? fragments.triangle[row] : fragments.core[row] * 64 + fragments.warp[row]);
    }
    return found;
  }

  /** The target before the run; where that is not known, what the first fragment of a pixel found. */
  #before() {
    if (this.start) return this.start;
    const { fragments, width, height, target, run } = this,
      found = new Uint32Array(width * height).fill(grey(24));
    const bytes = run.arrays.memory ?? [];
    if (target.base >= 0)
      for (let y = 0; y < height; y++)
        for (let x = 0; x < width; x++) {
          const at = target.base + y * target.pitch + 4 * x;
          found[y * width + x] = opaque(((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at] ?? 0));
        }
    for (let row = fragments.rows - 1; row >= 0; row--)
      if (fragments.color_before[row] >= 0) found[fragments.y[row] * width + fragments.x[row]] = opaque(fragments.color_before[row]);
    return (this.start = found);
  }

  #pixel(event) {
    const box = this.canvas.getBoundingClientRect(),
      place = (at, size, count) => Math.min(count - 1, Math.max(0, Math.floor((at / size) * count)));
    return [place(event.clientX - box.left, box.width, this.width), place(event.clientY - box.top, box.height, this.height)];
  }

  #tell(event) {
    const [x, y] = this.#pixel(event),
      rows = this.ofPixel.get(y * this.width + x) ?? [];
    const last = rows.filter((row) => this.fragments.time[row] <= this.view.cycle).pop();
    const said = last === undefined ? "no fragment so far" : this.#said(last);
    this.app.hint.show(event.clientX, event.clientY, `pixel ${x},${y}: ${counted(rows.length, "fragment")}\n${said}\nclick to choose it`);
  }

  #choose(pixel) {
    this.chosen = pixel;
    const [x, y] = pixel,
      rows = this.ofPixel.get(y * this.width + x) ?? [];
    const row = rows.filter((one) => this.fragments.time[one] <= this.view.cycle).pop() ?? rows[0];
    this.triangle = row === undefined ? -1 : this.fragments.triangle[row];
    this.app.redraw();
  }

  #move(event) {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!step || !this.chosen) return;
    event.preventDefault();
    event.stopPropagation();
    const [x, y] = this.chosen;
    this.#choose([Math.min(this.width - 1, Math.max(0, x + step[0])), Math.min(this.height - 1, Math.max(0, y + step[1]))]);
  }

  /** What became of a fragment. */
  #said(row) {
    const { fragments: f, run } = this,
      fate = run.word("fragments", "fate", row);
    if (f.color_after[row] >= 0)
      return `${fate}: ${hex(f.color_before[row])} became ${hex(f.color_after[row])}${f.color[row] === f.color_after[row] ? "" : `, blended with ${hex(f.color[row])}`}`;
    if (f.depth[row] < 0 || fate === "written") return fate;
    return fate.includes("depth")
      ? `${fate}: its depth is ${f.depth[row]}, the pixel's was ${f.depth_before[row] % 2 ** 24}`
      : `${fate}: the pixel's stencil was ${Math.floor(f.depth_before[row] / 2 ** 24)}`;
  }

  #tellOfPixel() {
    if (!this.chosen) return this.about.replaceChildren(el("p.quiet", {}, "Click a pixel: which fragments came to it, and what became of them."));
    const [x, y] = this.chosen,
      rows = this.ofPixel.get(y * this.width + x) ?? [];
    const list = rows.map((row) => this.#item(row));
    this.about.replaceChildren(
      el("h3", {}, `pixel ${x},${y}: ${counted(rows.length, "fragment")}`),
      rows.length ? el("ol.fragments", {}, list) : el("p.quiet", {}, "no triangle covers it"),
      ...this.#ofTriangle(),
    );
  }

  #item(row) {
    const { fragments: f, quads, view } = this,
      late = f.time[row] > view.cycle,
      quad = f.quad[row];
    const where =
      quad < 0
        ? ""
        : `triangle ${f.triangle[row]}, quad ${quads.x[quad]},${quads.y[quad]} (${ones(quads.covered[quad])} of 4 pixels covered), taken in cycle ${grouped(quads.time[quad])}; `;
    return el(
      `li${late ? ".later" : ""}`,
      {},
      el(
        "button.cause",
        {
          click: () => {
            const slot = this.run.slots.find((one) => one.core === f.core[row] && one.warp === f.warp[row]);
            if (slot) view.select(slot, f.lane[row]);
            this.triangle = f.triangle[row];
            this.app.go(f.time[row], view);
          },
        },
        `cycle ${grouped(f.time[row])}: ${where}warp ${f.core[row]}:${f.warp[row]}, lane ${f.lane[row]}: `,
        el("b", {}, this.#said(row)),
      ),
    );
  }

  #ofTriangle() {
    const rows = this.ofTriangle.get(this.triangle) ?? [];
    if (!rows.length) return [];
    const { quads } = this,
      tile = this.run.machine.config["raster.tile"] || 32;
    const tiles = new Set(rows.map((row) => `${Math.floor(quads.x[row] / tile)},${Math.floor(quads.y[row] / tile)}`));
    const pixels = rows.reduce((sum, row) => sum + ones(quads.covered[row]), 0);
    const text = `triangle ${this.triangle} (framed): ${counted(rows.length, "quad")} in ${counted(tiles.size, "tile")}, ${counted(pixels, "pixel")} covered, ${counted(4 * rows.length - pixels, "helper lane")}, taken in cycles ${grouped(quads.time[rows[0]])} to ${grouped(quads.time[rows[rows.length - 1]])}`;
    return [el("p", {}, term("quad", text))];
  }
}

function opaque(word) {
  return (0xff000000 | ((word & 255) << 16) | (word & 0xff00) | ((word >>> 16) & 255)) >>> 0;
}

function grey(amount) {
  return (0xff000000 | (amount << 16) | (amount << 8) | amount) >>> 0;
}

/** A colour for a number, such that neighbours differ. */
function hue(number) {
  const mixed = Math.imul(number + 1, 0x9e3779b1) >>> 0;
  return (0xff000000 | ((64 + ((mixed >>> 24) & 191)) << 16) | ((64 + ((mixed >>> 16) & 191)) << 8) | (64 + ((mixed >>> 8) & 191))) >>> 0;
}

function ones(mask) {
  return (mask & 1) + ((mask >> 1) & 1) + ((mask >> 2) & 1) + ((mask >> 3) & 1);
}

function hex(word) {
  return word.toString(16).padStart(8, "0");
}
