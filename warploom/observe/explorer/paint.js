// Colours and patterns of the palette as pixels, for the theme that is shown.

export const TILE = 60; // a pattern repeats after this many pixels in both directions

const PATTERN = {
  "": () => false,
  "/": (x, y) => (x + y) % 6 === 0,
  "\\": (x, y) => (x - y + TILE) % 6 === 0,
  "-": (x, y) => y % 5 === 0,
  "|": (x) => x % 5 === 0,
  x: (x, y) => (x + y) % 6 === 0 || (x - y + TILE) % 6 === 0,
  "+": (x, y) => x % 6 === 0 || y % 6 === 0,
  ".": (x, y) => x % 4 === 0 && y % 4 === 0,
};

const tiles = new Map(
  Object.entries(PATTERN).map(([name, test]) => [
    name,
    Uint8Array.from({ length: TILE * TILE }, (_, at) => (test(at % TILE, Math.floor(at / TILE)) ? 1 : 0)),
  ]),
);

/** [red, green, blue] of `#rrggbb`. */
export function rgb(text) {
  return [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
}

/** A pixel of an ImageData seen as 32-bit words. */
export function pixel([red, green, blue]) {
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

/** The palette as a theme shows it. */
export class Paint {
  constructor(palette, dark) {
    this.dark = dark;
    const look = ([light, night, pattern]) => this.#look(dark ? night : light, pattern);
    const table = (looks) => Object.fromEntries(Object.entries(looks).map(([name, entry]) => [name, look(entry)]));
    this.lanes = table(palette.LANES);
    this.reasons = table(palette.REASONS);
    this.states = table(palette.STATES);
    this.lookups = table(palette.LOOKUPS);
    this.warps = palette.WARPS.map(look);
  }

  /** The look of an activity of a run. */
  activity(run, number) {
    return (run.sequencer ? this.states : this.reasons)[run.activities[number][0]];
  }

  #look(hex, pattern) {
    const colour = rgb(hex);
    const bright = colour[0] * 0.3 + colour[1] * 0.6 + colour[2] * 0.1 > 110;
    const marked = colour.map((part) => Math.round(bright ? part * 0.62 : part + (255 - part) * 0.4));
    return {
      css: hex,
      rgb: colour,
      pixel: pixel(colour),
      marked: pixel(marked),
      tile: pattern ? tiles.get(pattern) : null,
      pattern,
      markedCss: `rgb(${marked})`,
    };
  }
}

/** A small canvas with a look, for legends and tables. */
export function swatch(look, size = 12) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = size;
  canvas.className = "swatch";
  const context = canvas.getContext("2d"),
    image = context.createImageData(size, size),
    words = new Uint32Array(image.data.buffer);
  for (let at = 0; at < words.length; at++)
    words[at] = look.tile && look.tile[Math.floor(at / size) * TILE + (at % size)] ? look.marked : look.pixel;
  context.putImageData(image, 0, 0);
  return canvas;
}
