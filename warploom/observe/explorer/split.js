// Bars between the parts of the page: dragged, or moved with the arrow keys, they give one part more room and its neighbour less.

import { el } from "explorer/dom.js";

const STEP = 2, // percent that an arrow key moves a bar by
  LEAST = 10,
  MOST = 85;

/**
 * A bar that stands in a grid after the part that it sizes. The grid's own style takes the part's size from the custom property `name`,
 * in percent of the grid; as long as nobody has moved a bar, the property is not set.
 * upright: the bar stands between left and right, not between above and below.
 */
export function split(app, name, label, upright) {
  const root = document.documentElement.style;
  const set = (share) => {
    const kept = Math.max(LEAST, Math.min(MOST, share));
    root.setProperty(name, `${kept.toFixed(2)}%`);
    app.redraw();
  };
  const share = (x, y) => {
    const grid = bar.parentElement,
      style = getComputedStyle(grid), // percent are of what lies inside the padding
      part = bar.previousElementSibling.getBoundingClientRect();
    return upright
      ? (100 * (x - part.left)) / (grid.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight))
      : (100 * (y - part.top)) / (grid.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom));
  };
  const move = (by) => {
    const box = bar.getBoundingClientRect();
    set(share(box.left, box.top) + by);
  };
  const keys = upright ? { ArrowLeft: -STEP, ArrowRight: STEP } : { ArrowUp: -STEP, ArrowDown: STEP };
  let held = null; // where in the bar the pointer has taken it
  const bar = el(`div.split${upright ? ".upright" : ""}`, {
    role: "separator",
    tabindex: 0,
    "aria-label": label,
    "aria-orientation": upright ? "vertical" : "horizontal",
    "data-hint": `${label}: drag, or press the arrow keys; double click: as it was`,
    pointerdown: (event) => {
      if (event.button !== 0) return;
      bar.setPointerCapture(event.pointerId);
      held = { x: event.offsetX, y: event.offsetY };
      app.hint.hide();
    },
    pointermove: (event) => held && set(share(event.clientX - held.x, event.clientY - held.y)),
    lostpointercapture: () => (held = null),
    dblclick: () => {
      root.removeProperty(name);
      app.redraw();
    },
    keydown: (event) => {
      if (!(event.key in keys) || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation(); // the page's own arrow keys step through the cycles
      move(keys[event.key]);
    },
  });
  return bar;
}
