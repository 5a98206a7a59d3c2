// The keyboard: every key, what it does, and the overlay that lists them.

import { el } from "explorer/dom.js";

/** [keys, what they do, function]; the keys as KeyboardEvent.key names them, with Shift+ where it matters. */
function table(app) {
  const { transport } = app,
    leader = () => app.leader,
    timeline = () => leader().timeline;
  return [
    [["ArrowRight"], "one cycle forwards", () => transport.step(1)],
    [["ArrowLeft"], "one cycle backwards", () => transport.step(-1)],
    [["Shift+ArrowRight"], "ten cycles forwards", () => transport.step(10)],
    [["Shift+ArrowLeft"], "ten cycles backwards", () => transport.step(-10)],
    [["Home"], "to the first cycle", () => app.go(leader().pieces.first)],
    [["End"], "to the last cycle", () => app.go(leader().pieces.stop - 1)],
    [["."], "to the next instruction of the chosen warp", () => transport.jump(1, "issue")],
    [[","], "to the previous instruction of the chosen warp", () => transport.jump(-1, "issue")],
    [[" "], "play, or stop", () => transport.play(1)],
    [["Shift+ "], "play backwards, or stop", () => transport.play(-1)],
    [[">"], "play faster", () => transport.faster(1)],
    [["<"], "play slower", () => transport.faster(-1)],
    [["n"], "to the next event of the chosen kind", () => transport.jump(1)],
    [["p"], "to the previous event of the chosen kind", () => transport.jump(-1)],
    [["e"], "choose a different kind of event", () => transport.nextKind()],
    [["l"], "to where what limits the run most shows longest", () => app.answer.first()],
    [["b"], "set or clear a breakpoint at the chosen warp's line", () => app.breakHere()],
    [["a"], "show or hide what limits the run", () => app.answer.toggle()],
    [["f", "/"], "find a line, an array, a thread or a cycle", () => app.find.field.select()],
    [["g"], "type a cycle to go to", () => transport.field.select()],
    [["ArrowDown"], "choose the next warp", () => app.nextWarp(1)],
    [["ArrowUp"], "choose the previous warp", () => app.nextWarp(-1)],
    [["]"], "choose the next lane", () => leader().select(null, leader().lane + 1)],
    [["["], "choose the previous lane", () => leader().select(null, leader().lane - 1)],
    [["+", "="], "zoom in", () => timeline().zoom(1.5)],
    [["-"], "zoom out", () => timeline().zoom(1 / 1.5)],
    [["0"], "zoom out to the whole run", () => timeline().fit()],
    [["PageDown"], "move the picture forwards", () => timeline().turn(1)],
    [["PageUp"], "move the picture backwards", () => timeline().turn(-1)],
    [
      ["1"],
      "zoom in to single cycles",
      () => {
        timeline().zoom(48 / timeline().scale);
        timeline().reveal(leader().cycle);
      },
    ],
    [["m"], "show the next tab (memory, images, caches ...)", () => leader().panes[leader().panes.length - 1].turn()],
    [["w"], "show the next tab of the left pane", () => leader().panes[0].turn()],
    [["u"], "show or hide micro-ops", () => app.source.toggleMicro()],
    [["s"], "two runs: keep the same cycle, or the same instruction", () => app.turnSync()],
    [["x"], "two runs: lead with the other run", () => app.otherRun()],
    [["t"], "dark or light", () => app.turnTheme()],
    [["?"], "show or hide this list", () => app.help.toggle()],
    [
      ["Escape"],
      "close what is open, stop playing",
      () => {
        app.help.close();
        transport.stop();
        document.activeElement.blur();
      },
    ],
  ];
}

export class Keys {
  constructor(app) {
    this.rows = table(app);
    const known = new Map(this.rows.flatMap(([keys, , act]) => keys.map((key) => [key, act])));
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const typing = event.target.matches?.("input:not([type=checkbox]), select");
      if (typing && event.key !== "Escape" && !(event.key === "Enter" && event.target.matches("input"))) return;
      if (typing && event.key === "Enter") return event.target.blur();
      if (event.key === " " && event.target.matches?.("button")) event.target.blur();
      const act = known.get(`${event.shiftKey ? "Shift+" : ""}${event.key}`) ?? known.get(event.key);
      if (!act) return;
      event.preventDefault();
      act();
      app.redraw();
    });
  }
}

/** The overlay with all keys. */
export class Help {
  constructor(host, rows, glossary, instructions) {
    const names = { ArrowRight: "→", ArrowLeft: "←", ArrowUp: "↑", ArrowDown: "↓", " ": "Space" };
    const shown = (key) =>
      key.split("+").length > 1 && key !== "+" ? `Shift ${names[key.slice(6)] ?? key.slice(6)}` : (names[key] ?? key);
    const keys = rows.map(([list, meaning]) =>
      el(
        "tr",
        {},
        el(
          "td",
          {},
          list.map((key) => el("kbd", {}, shown(key))),
        ),
        el("td", {}, meaning),
      ),
    );
    const words = ["warp", "lane", "block", "mask", "issue", "scoreboard", "paths", "chain of causes", "transaction", "heat"];
    this.dialog = el(
      "dialog.help",
      { "aria-label": "keys" },
      el("header", {}, el("h2", {}, "Keys"), el("button.small", { click: () => this.close() }, "close")),
      el(
        "div.columns",
        {},
        el("table", {}, el("tbody", {}, keys)),
        el(
          "div",
          {},
          el("h3", {}, "The picture"),
          el(
            "p",
            {},
            "Each band is a warp slot, each row in it a lane, each column a cycle. Wheel: zoom. Drag: move. Shift and wheel: sideways. Wheel over the names: up and down. Click: choose a cycle, warp and lane. Double click: closer, or all of it.",
          ),
          el("h3", {}, "The source"),
          el(
            "p",
            {},
            "The bar beside a line is the share of warp-cycles spent there. Click a line's number for a breakpoint, its text to go to its longest wait, and again to the next longest; Shift and click: to its next issue.",
          ),
          el("h3", {}, "The instructions of this program"),
          el(
            "dl.instructions",
            {},
            Object.entries(instructions).map(([word, [usage, meaning]]) => [el("dt", { "data-mnemonic": word }, usage), el("dd", {}, meaning)]),
          ),
          el("h3", {}, "Words"),
          el(
            "dl",
            {},
            words.map((word) => [el("dt", {}, word), el("dd", {}, glossary[word])]),
          ),
        ),
      ),
    );
    host.append(this.dialog);
  }

  toggle() {
    if (this.dialog.open) this.close();
    else this.dialog.showModal();
  }

  close() {
    if (this.dialog.open) this.dialog.close();
  }
}
