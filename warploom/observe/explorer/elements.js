// Names of who wrote the kernel: for a byte of memory, as `out[12]` (the same rule as isa/elements.py), and for a register.

/** The element at a place of memory: `out[12]`, `tile[3, 7]`, `byte 5 of in`; "" where no array is known. */
export function elementAt(program, place) {
  const view = program.views.find(({ base, bytes }) => place >= base && place < base + bytes);
  if (!view) return "";
  const byte = place - view.base;
  if (!view.item) return view.width > 0 ? "" : `byte ${byte} of ${view.name}`;
  let number = Math.floor(byte / view.item);
  const indices = [];
  for (const extent of view.shape.slice(1).reverse()) {
    indices.unshift(number % Math.max(extent, 1));
    number = Math.floor(number / Math.max(extent, 1));
  }
  return `${view.name}[${[number, ...indices].join(", ")}]`;
}

/** The variable that a group of registers of a slot, written last in a cycle, holds: what that writer computed; "" where nothing says it. */
export function holds(run, slot, group, time) {
  if (run.sequencer || !run.program.statements) return "";
  const row = time < 0 ? -1 : run.spanAt(slot, time),
    { pc, activity } = run.spans;
  if (row < 0 || activity[row] !== run.issueActivity) return "";
  const { writes, holds: name } = run.program.instructions[pc[row]] ?? {};
  return writes?.includes(group) ? (name ?? "") : "";
}
