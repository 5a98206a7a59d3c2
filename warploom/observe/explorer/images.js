// Textures and output images as images, in any cycle.

import { el, grouped, term } from "explorer/dom.js";

export class ImageView {
  constructor(host, view, app) {
    Object.assign(this, { view, app, run: view.run });
    this.pictures = this.run.program.views.filter((one) => one.width > 0).map((one) => this.#picture(one));
    host.append(...this.pictures.map(({ figure }) => figure));
  }

  #picture(picture) {
    const canvas = el("canvas", { width: picture.width, height: picture.height, "aria-label": picture.name });
    const zoom = Math.max(1, Math.min(8, Math.floor(320 / picture.width)));
    canvas.style.width = `${picture.width * zoom}px`;
    canvas.style.maxWidth = "100%";
    const note = el("span.quiet");
    canvas.addEventListener("pointermove", (event) => this.#tell(event, picture, canvas));
    canvas.addEventListener("pointerleave", () => this.app.hint.hide());
    canvas.addEventListener("click", (event) => this.#writer(event, picture, canvas));
    const kind = picture.writable ? "image" : "texture";
    const figure = el(
      "figure",
      {},
      el("figcaption", {}, el("b", {}, picture.name), ` ${kind}, ${picture.width} × ${picture.height}, ${picture.format} `, note),
      canvas,
    );
    return { picture, canvas, note, figure, last: null };
  }

  draw() {
    const { run, view } = this,
      { memory } = run;
    memory.at(view.cycle);
    for (const one of this.pictures) {
      if (one.last === memory.applied) continue;
      one.last = memory.applied;
      const { picture, canvas } = one,
        context = canvas.getContext("2d"),
        image = context.createImageData(picture.width, picture.height);
      for (let y = 0, at = 0; y < picture.height; y++)
        for (let x = 0; x < picture.width; x++, at += 4) image.data.set(texel(memory, picture, x, y), at);
      context.putImageData(image, 0, 0);
      if (picture.writable && memory.changes) one.note.textContent = `after ${grouped(memory.applied)} writes`;
    }
  }

  #at(event, picture, canvas) {
    const box = canvas.getBoundingClientRect();
    const x = Math.min(picture.width - 1, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * picture.width)));
    const y = Math.min(picture.height - 1, Math.max(0, Math.floor(((event.clientY - box.top) / box.height) * picture.height)));
    return { x, y, address: addressOf(picture, x, y) };
  }

  #tell(event, picture, canvas) {
    const { x, y, address } = this.#at(event, picture, canvas),
      { memory } = this.run;
    const row = memory.changes ? memory.writer(address >> 2, this.view.cycle) : -1;
    const by =
      row < 0
        ? ""
        : `\nwritten in cycle ${memory.changes.time[row]} by warp ${memory.changes.core[row]}:${memory.changes.warp[row]}; click to go there`;
    this.app.hint.show(
      event.clientX,
      event.clientY,
      `${x}, ${y} at byte ${address}: ${texel(memory, picture, x, y).slice(0, 4).join(" ")}${by}`,
    );
  }

  #writer(event, picture, canvas) {
    const { address } = this.#at(event, picture, canvas),
      { memory } = this.run;
    const rows = memory.rowsOf.get(address >> 2);
    if (!rows?.length) return;
    const slot = this.run.slots.find(
      (one) => one.core === memory.changes.core[rows[rows.length - 1]] && one.warp === memory.changes.warp[rows[rows.length - 1]],
    );
    if (slot) this.view.select(slot);
    this.app.go(memory.changes.time[rows[rows.length - 1]], this.view);
  }
}

function addressOf(picture, x, y) {
  return picture.base + y * (picture.pitch || picture.width * picture.texel) + x * picture.texel;
}

const floats = new DataView(new ArrayBuffer(4));

/** A texel as [red, green, blue, alpha] from 0 to 255. */
function texel(memory, picture, x, y) {
  const address = addressOf(picture, x, y),
    bytes = memory.bytes,
    found = [0, 0, 0, 255];
  if (address + picture.texel > bytes.length) return found;
  picture.fields.forEach(([bits, shift], channel) => {
    if (!bits) return;
    if (bits === 32) {
      for (let byte = 0; byte < 4; byte++) floats.setUint8(3 - byte, bytes[address + shift / 8 + byte]);
      found[channel] = Math.max(0, Math.min(255, Math.round(floats.getFloat32(0) * 255)));
      return;
    }
    let number = 0;
    for (let byte = picture.texel - 1; byte >= 0; byte--) number = number * 256 + bytes[address + byte];
    found[channel] = Math.round((Math.floor(number / 2 ** shift) % 2 ** bits) * (255 / (2 ** bits - 1)));
  });
  if (!picture.fields[1][0]) found[1] = found[2] = found[0];
  return found;
}
