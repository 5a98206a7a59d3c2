// Who waits for whom in a machine whose cores run one instruction at a time, as sentences.

/** [{text, core, from}] for a cycle. */
export function waits(run, cycle) {
  const found = [],
    at = (name) => run.signals.at(name, cycle) ?? 0,
    { cores, lanes } = run.machine;
  for (let core = 0; core < cores; core++) {
    const state = run.activities[at(`cores.${core}.core_state`)][0],
      since = run.signals.since(`cores.${core}.core_state`, cycle);
    if (state === "fetch") found.push(fetching(run, core, cycle, since));
    if (state !== "wait") continue;
    const waiting = [];
    for (let thread = 0; thread < lanes; thread++) {
      const name = `cores.${core}.threads.${thread}`;
      if (at(`${name}.rv`) || at(`${name}.wv`)) waiting.push(thread);
    }
    if (!waiting.length) {
      found.push({ core, from: since, text: `core ${core} ${idleWait(run, core, cycle)}` });
      continue;
    }
    const served = waiting.filter((thread) => channelOf(run, "data_ctrl", core * lanes + thread, cycle) >= 0);
    const queued = waiting.filter((thread) => !served.includes(thread));
    for (const thread of served.slice(0, 8)) {
      const channel = channelOf(run, "data_ctrl", core * lanes + thread, cycle),
        name = `cores.${core}.threads.${thread}`;
      const address = at(`${name}.wv`) ? `writes address ${at(`${name}.wa`)}` : `reads address ${at(`${name}.ra`)}`;
      found.push({
        core,
        from: run.signals.since(`${name}.lsu_state`, cycle),
        text: `core ${core} waits for thread ${thread}, which ${address} through data channel ${channel}`,
      });
    }
    if (queued.length)
      found.push({ core, from: since, text: `core ${core} waits for ${threads(queued)}, still without a channel: ${busy(run, cycle)}` });
  }
  return found;
}

/** Why a core is in WAIT although no thread of it has a request line up. */
function idleWait(run, core, cycle) {
  const units = Array.from({ length: run.machine.lanes }, (_, thread) => run.signals.at(`cores.${core}.threads.${thread}.lsu_state`, cycle));
  if (units.some((unit) => unit === 1 || unit === 2)) return "waits for its load/store units, which are about to ask";
  if (units.some((unit) => unit === 3)) return "is about to leave WAIT: its load/store units are done";
  return "spends WAIT though no load/store unit of it is at work";
}

function fetching(run, core, cycle, from) {
  const channel = channelOf(run, "prog_ctrl", core, cycle),
    pc = run.signals.at(`cores.${core}.current_pc`, cycle);
  if (channel >= 0) return { core, from, text: `core ${core} waits for instruction ${pc}, which program channel ${channel} fetches` };
  const other = run.signals.at("prog_ctrl.channels.0.consumer", cycle),
    taken = run.signals.at("prog_ctrl.channels.0.state", cycle);
  if (taken && other !== core) return { core, from, text: `core ${core} waits for a program channel: it serves core ${other}` };
  return { core, from, text: `core ${core} requests instruction ${pc}` };
}

/** The channel that serves a consumer, or -1. */
function channelOf(run, controller, consumer, cycle) {
  for (let channel = 0; run.signals.number.has(`${controller}.channels.${channel}.state`); channel++)
    if (
      run.signals.at(`${controller}.channels.${channel}.state`, cycle) &&
      run.signals.at(`${controller}.channels.${channel}.consumer`, cycle) === consumer
    )
      return channel;
  return -1;
}

function busy(run, cycle) {
  const lanes = run.machine.lanes,
    users = [];
  for (let channel = 0; run.signals.number.has(`data_ctrl.channels.${channel}.state`); channel++) {
    if (!run.signals.at(`data_ctrl.channels.${channel}.state`, cycle)) continue;
    const consumer = run.signals.at(`data_ctrl.channels.${channel}.consumer`, cycle);
    users.push(`${channel} serves core ${Math.floor(consumer / lanes)} thread ${consumer % lanes}`);
  }
  return users.length ? `channel ${users.slice(0, 4).join(", ")}` : "the controller takes it in the next cycle";
}

function threads(numbers) {
  return numbers.length > 1 ? `threads ${numbers.join(", ")}` : `thread ${numbers[0]}`;
}
