// Elements made of names, attributes and text. Text is text: nothing that comes from a run is ever read as markup.

/** el("td.number", {title: "..."}, "text", child ...). A function among the attributes listens to that event. */
export function el(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag || "div");
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") element.addEventListener(key, value);
    else if (key === "style") element.style.cssText = value;
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** A word that the glossary explains when the pointer rests on it. */
export function term(word, text = word) {
  return el("span.term", { "data-term": word }, text);
}

const SVG = "http://www.w3.org/2000/svg";

const CLASSES = { active: "in", diverged: "diverged", ended: "ended", "no thread": "never", "": "out" };

/** Lanes as little boxes, in groups of four. lanes: what each is, see Run.laneState; "" where it is not of the set that is shown. */
export function boxes(lanes, chosen = -1) {
  const wide = lanes.length > 16 ? 3 : 5,
    place = (lane) => lane * (wide + 1) + Math.floor(lane / 4) * 2;
  const shape = (name, attributes) => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  const path = (state) => lanes.map((lane, number) => (lane === state ? `M${place(number)} 1h${wide}v10h-${wide}z` : "")).join("");
  const width = place(lanes.length),
    count = lanes.filter((state) => state === "active").length;
  const drawn = shape("svg", {
    class: "mask",
    width,
    height: 12,
    viewBox: `0 0 ${width} 12`,
    role: "img",
    "aria-label": `${count} of ${lanes.length} lanes`,
  });
  drawn.dataset.lanes = lanes.map((state) => (state === "active" ? "1" : "0")).join("");
  drawn.dataset.states = lanes.join(" ");
  drawn.dataset.term = "mask";
  for (const [state, kind] of Object.entries(CLASSES)) if (lanes.includes(state)) drawn.append(shape("path", { d: path(state), class: kind }));
  if (chosen >= 0) drawn.append(shape("rect", { x: place(chosen) - 0.5, y: 0.5, width: wide + 1, height: 11, class: "chosen" }));
  return drawn;
}

/** 1234567 as "1 234 567". */
export function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** "1 cycle", "5 cycles". */
export function counted(number, word) {
  return `${grouped(number)} ${word}${number === 1 ? "" : "s"}`;
}

const scratch = new DataView(new ArrayBuffer(4));

/** The float in a word. */
export function asFloat(word) {
  scratch.setUint32(0, word);
  return scratch.getFloat32(0);
}

/** Whether a word may be a float of a usual size. */
export function looksFloat(word) {
  const size = Math.abs(asFloat(word));
  return word > 0xffff && size >= 1e-6 && size < 1e12;
}

/** Whether a word may be a whole number of a usual size, with a sign. */
export function looksWhole(word) {
  return word < 1 << 30 || word > 0xffff0000;
}

/** A word as a reader wants it. style: auto, unsigned, signed, hex or float. `auto`: a float where it looks like one. */
export function valueText(word, style) {
  if (style === "hex") return `0x${word.toString(16).padStart(8, "0")}`;
  if (style === "signed") return String(word | 0);
  if (style === "float" || (style === "auto" && looksFloat(word))) return floatText(asFloat(word));
  if (style === "auto" && word > 0xffff0000) return String(word | 0);
  return String(word);
}

function floatText(value) {
  if (!Number.isFinite(value)) return String(value);
  const text = String(Number(value.toPrecision(5)));
  return /[.e]/.test(text) ? text : `${text}.0`;
}
