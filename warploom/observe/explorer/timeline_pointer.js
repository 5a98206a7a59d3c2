// Wheel, drag and click on the picture of lanes.

import { LABELS, OVERVIEW } from "explorer/timeline_sizes.js";

/** Let a Timeline be zoomed, moved and clicked. */
export function listen(timeline) {
  const { canvas } = timeline;
  canvas.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) move(timeline, -(event.deltaX || event.deltaY), 0);
      else if (event.offsetX < LABELS) move(timeline, 0, -event.deltaY);
      else timeline.zoom(Math.exp(-event.deltaY * 0.002), event.offsetX);
    },
    { passive: false },
  );
  let held = null;
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    held = { x: event.offsetX, y: event.offsetY, moved: false, overview: event.offsetY < OVERVIEW };
  });
  canvas.addEventListener("pointermove", (event) => {
    timeline.hover = [event.offsetX, event.offsetY];
    if (held?.overview) jump(timeline, event.offsetX);
    else if (held && (held.moved || Math.hypot(event.offsetX - held.x, event.offsetY - held.y) > 3)) {
      move(timeline, event.offsetX - held.x, event.offsetY - held.y);
      held = { x: event.offsetX, y: event.offsetY, moved: true };
    } else tell(timeline, event);
    timeline.app.redraw();
  });
  canvas.addEventListener("pointerup", (event) => {
    if (held?.overview) jump(timeline, event.offsetX);
    else if (held && !held.moved) choose(timeline, event.offsetX, event.offsetY);
    held = null;
  });
  canvas.addEventListener("pointerleave", () => {
    timeline.hover = null;
    timeline.app.hint.hide();
    timeline.app.redraw();
  });
  canvas.addEventListener("dblclick", (event) => {
    if (timeline.scale > timeline.leastScale * 1.01) timeline.fit();
    else timeline.zoom(24 / timeline.scale, event.offsetX);
    timeline.app.redraw();
  });
}

function move(timeline, x, y) {
  timeline.from -= x / timeline.scale;
  timeline.top -= y;
  timeline.keepInside();
  timeline.app.share(timeline);
  timeline.app.redraw();
}

/** To the part of the run that lies under x on the strip of the whole run; to the cycle there, where it is of another piece. */
function jump(timeline, x) {
  const cycle = Math.floor(((x - LABELS) / timeline.plotWidth) * timeline.app.cycles);
  if (!timeline.view.holds(cycle)) return timeline.app.go(cycle, timeline.view);
  timeline.from = ((x - LABELS) / timeline.plotWidth) * timeline.app.cycles - timeline.plotWidth / timeline.scale / 2;
  timeline.keepInside();
  timeline.app.share(timeline);
  timeline.app.redraw();
}

function choose(timeline, x, y) {
  const row = timeline.rowAt(y);
  if (row) timeline.view.select(row.slot, row.lane);
  if (x >= LABELS) timeline.app.go(Math.floor(timeline.cycleAt(x)), timeline.view);
  timeline.app.redraw();
}

function tell(timeline, event) {
  const cycle = Math.floor(timeline.cycleAt(event.offsetX)),
    row = timeline.rowAt(event.offsetY);
  if (!row || event.offsetX < LABELS || cycle < timeline.run.first || cycle >= timeline.run.stop) return timeline.app.hint.hide();
  timeline.app.hint.show(event.clientX, event.clientY, timeline.view.sentence(row.slot, row.lane, cycle));
}
