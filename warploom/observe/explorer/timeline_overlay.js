// What stands over the picture of lanes: the axis of cycles, names, the chosen cycle, the chosen warp, instructions where there is room.

import { after } from "explorer/search.js";
import { AXIS, GAP, LABELS, OVERVIEW, TRAFFIC } from "explorer/timeline_sizes.js";

/** Draw it over a Timeline whose pixels are drawn. */
export function overlay(timeline) {
  const { context, width, plotTop, plotBottom, view, run, app } = timeline,
    style = app.style;
  context.save();
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  axis(timeline);
  context.save();
  context.beginPath();
  context.rect(0, plotTop, width, plotBottom - plotTop);
  context.clip();
  for (const slot of run.slots) {
    const y = plotTop + slot.number * (timeline.band + GAP) - timeline.top;
    if (y > plotBottom || y + timeline.band < plotTop) continue;
    const chosen = slot === view.slot;
    context.fillStyle = chosen ? style.text : style.quiet;
    context.font = `${chosen ? "600 " : ""}11px system-ui, sans-serif`;
    context.textAlign = "right";
    context.fillText(slot.label, LABELS - 8, y + Math.min(timeline.band / 2, 60));
    if (timeline.scale >= 34) instructions(timeline, slot, y);
    if (chosen) {
      context.strokeStyle = style.accent;
      context.lineWidth = 1.5;
      const end = Math.min(timeline.plotWidth, Math.max(0, timeline.x(run.stop) - LABELS)); // of two runs one ends before the other
      timeline.frame = { left: LABELS, right: LABELS + end };
      context.strokeRect(LABELS - 1.5, y - 1.5, end + 3, timeline.band + 3);
      const lane = timeline.band / run.lanes;
      if (lane >= 5) ((context.fillStyle = style.accent), context.fillRect(LABELS - 5, y + view.lane * lane, 3, lane));
    }
  }
  context.restore();
  if (timeline.deepest > 0) {
    const room = plotBottom - plotTop,
      all = room + timeline.deepest;
    context.fillStyle = style.line;
    context.fillRect(2, plotTop, 5, room);
    context.fillStyle = style.quiet;
    context.fillRect(2, plotTop + (timeline.top / all) * room, 5, Math.max(8, (room / all) * room));
  }
  if (timeline.traffic) traffic(timeline);
  cursor(timeline);
  context.restore();
}

function axis(timeline) {
  const { context, scale, plotWidth, plotTop, plotBottom, app } = timeline,
    style = app.style;
  const shown = plotWidth / scale;
  context.fillStyle = style.line;
  context.fillRect(LABELS, 1, plotWidth, OVERVIEW - 3);
  context.fillStyle = style.quiet;
  context.fillRect(LABELS + (timeline.from / app.cycles) * plotWidth, 1, Math.max(3, (shown / app.cycles) * plotWidth), OVERVIEW - 3);
  context.fillStyle = style.accent;
  context.fillRect(LABELS + ((timeline.view.cycle + 0.5) / app.cycles) * plotWidth - 1, 0, 2, OVERVIEW - 1);
  const rough = 70 / scale,
    power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
  const step = Math.max(
    1,
    [1, 2, 5, 10].map((part) => part * power).find((value) => value >= rough),
  );
  context.textAlign = "center";
  context.lineWidth = 1;
  for (let cycle = Math.ceil(timeline.from / step) * step; cycle <= timeline.from + shown && cycle < app.stop; cycle += step) {
    const x = timeline.x(cycle) + (scale > 8 ? scale / 2 : 0);
    context.fillStyle = style.line;
    context.fillRect(Math.round(timeline.x(cycle)), plotTop - 4, 1, scale > 8 ? 4 : plotBottom - plotTop + 4);
    context.fillStyle = style.quiet;
    if (x < LABELS + plotWidth - 10) context.fillText(String(cycle), Math.max(LABELS + 8, x), OVERVIEW + AXIS / 2 - 2);
  }
  context.textAlign = "right";
  context.fillStyle = style.quiet;
  context.fillText("cycle", LABELS - 8, OVERVIEW + AXIS / 2 - 2);
}

function instructions(timeline, slot, y) {
  const { context, run, scale, from, plotWidth } = timeline,
    { start, length, activity, pc } = run.spans;
  context.font = "10px ui-monospace, monospace";
  context.textAlign = "left";
  const shown = from + plotWidth / scale;
  for (let row = Math.max(slot.first, after(start, from, slot.first, slot.last) - 1); row < slot.last && start[row] < shown; row++) {
    const x = Math.max(timeline.x(start[row]), LABELS),
      room = timeline.x(start[row] + length[row]) - x - 4;
    if (room < 24) continue;
    const issue = activity[row] === run.issueActivity;
    const text = issue || run.sequencer ? (run.program.instructions[pc[row]]?.text ?? "") : run.activities[activity[row]][0];
    const fitting = text.slice(0, Math.floor(room / 6));
    const wide = context.measureText(fitting).width;
    context.fillStyle = timeline.app.style.veil;
    context.fillRect(x + 2, y + 1, wide + 3, 12);
    context.fillStyle = timeline.app.style.text;
    context.fillText(fitting, x + 3, y + 7.5);
  }
}

function traffic(timeline) {
  const { context, plotBottom, plotWidth, app } = timeline,
    style = app.style,
    { times, counts, most } = timeline.traffic;
  const bottom = plotBottom + TRAFFIC - 2,
    tall = TRAFFIC - 8;
  context.fillStyle = style.traffic;
  for (let x = 0; x < plotWidth; x++) {
    const from = timeline.cycleAt(LABELS + x),
      first = Math.max(0, after(times, from) - 1),
      last = after(times, timeline.cycleAt(LABELS + x + 1));
    let highest = 0;
    for (let at = first; at < Math.min(last, first + 40); at++)
      if (times[at] <= from || at > first) highest = Math.max(highest, counts[at]);
    if (highest > 0) context.fillRect(LABELS + x, bottom - (highest / most) * tall, 1, (highest / most) * tall);
  }
  context.textAlign = "right";
  context.fillStyle = style.quiet;
  context.font = "11px system-ui, sans-serif";
  context.fillText("in flight", LABELS - 8, bottom - 8);
  context.textAlign = "left";
  context.font = "10px system-ui, sans-serif";
  context.fillText(`${most}`, LABELS + 3, bottom - tall + 3);
}

function cursor(timeline) {
  const { context, view, plotTop, height, scale, width, app } = timeline;
  const x = timeline.x(view.cycle),
    wide = Math.max(1.5, scale);
  if (x + wide >= LABELS && x <= width) {
    context.fillStyle = app.style.cursor;
    context.fillRect(Math.max(LABELS, x), plotTop, x < LABELS ? wide - (LABELS - x) : wide, height - plotTop);
    context.strokeStyle = app.style.accent;
    context.lineWidth = 1.5;
    context.beginPath();
    for (const at of wide > 4 ? [x, x + wide] : [x + wide / 2]) {
      if (at < LABELS) continue;
      context.moveTo(at, plotTop - 6);
      context.lineTo(at, height);
    }
    context.stroke();
    context.fillStyle = app.style.accent;
    context.beginPath();
    const middle = x + wide / 2;
    context.moveTo(middle - 5, plotTop - 10);
    context.lineTo(middle + 5, plotTop - 10);
    context.lineTo(middle, plotTop - 3);
    context.fill();
  }
  if (timeline.hover && timeline.hover[0] > LABELS) {
    context.strokeStyle = app.style.quiet;
    context.setLineDash([2, 3]);
    context.beginPath();
    context.moveTo(timeline.hover[0], plotTop);
    context.lineTo(timeline.hover[0], height);
    context.stroke();
  }
}
