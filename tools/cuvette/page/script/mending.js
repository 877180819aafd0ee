// What a report says is missing, and the calls that would add it.

// Returns {from, to, words, lines}: the two things that nothing orders ({what, item}, the earlier
// first), and the lines of a program that order them: {when, what, site, code}. Nothing if the
// report is not about an order that is missing.
function mendingOf(view, report) {
  const { order } = view;
  const [first, second] = report.commands;
  if (second !== undefined) {
    if (first === second) return null;
    if (order.chain(first, second)) return null;
    const [from, to] = isSubmittedBefore(view, first, second) ? [first, second] : [second, first];
    return { from: { what: "command", item: from }, to: { what: "command", item: to }, words: "nothing orders these",
      lines: linesBetween(view, from, to) };
  }
  if (first !== undefined && report.calls.length > 0 && /race/.test(report.identifier)) {
    const call = report.calls[0];
    return { from: { what: "command", item: first }, to: { what: "call", item: call }, words: "the host does not wait",
      lines: [{ when: "before", what: view.names.call(call), site: placeOf(view.names.site(view.run.calls, call)),
        code: `cuStreamSynchronize(${streamWord(view, first)});` }] };
  }
  return null;
}

function isSubmittedBefore(view, a, b) {
  const { submitted, launch, step } = view.run.commands;
  if (launch[a] >= 0 && launch[a] === launch[b]) return step[a] < step[b];
  return submitted[a] < submitted[b] || (submitted[a] === submitted[b] && a < b);
}

// A stream as an argument of a call.
function streamWord(view, command) {
  const stream = view.names.streamOf(command);
  if (stream < 0) return "stream";
  const { id, kind } = view.run.streams[stream];
  if (kind === "legacy") return "CU_STREAM_LEGACY";
  if (kind === "per-thread") return "CU_STREAM_PER_THREAD";
  return `stream${id}`;
}

function linesBetween(view, from, to) {
  const { names, run } = view;
  const { launch } = run.commands;
  const line = (when, command, code) => ({ when, what: names.commandInFull(command), site: placeOf(names.site(run.commands, command)), code });
  if (launch[from] >= 0 && launch[from] === launch[to])
    return [{ when: "from", what: `${names.commandInFull(from)} to ${names.commandInFull(to)}`, site: "", code: "cuGraphAddDependencies(graph, &from, &to, 1);" }];
  // What surrounds a graph is ordered with its launch.
  const [a, b] = [launch[from] < 0 ? from : launch[from], launch[to] < 0 ? to : launch[to]];
  const [processA, processB] = [view.order.processOf(a), view.order.processOf(b)];
  if (processA !== processB)
    return [line("after", a, `cuSignalExternalSemaphoresAsync(&semaphore, &signal, 1, ${streamWord(view, a)});`),
      line("before", b, `cuWaitExternalSemaphoresAsync(&semaphore, &wait, 1, ${streamWord(view, b)});`)];
  return [line("after", a, `cuEventRecord(event, ${streamWord(view, a)});`),
    line("before", b, `cuStreamWaitEvent(${streamWord(view, b)}, event, 0);`)];
}

const whyWords = {
  "same stream": "the same stream",
  event: "an event",
  "legacy stream": "the rule of the legacy stream",
  semaphore: "a semaphore",
  graph: "the graph",
  "host wait": "a host thread that waits",
  other: "another rule",
};

// One link of a chain, as a sentence.
function linkText(view, { from, to, why, wait }) {
  const { names, run } = view;
  const words = `${names.commandInFull(from)} before ${names.commandInFull(to)}: ${whyWords[why]}`;
  if (wait < 0) return words;
  const call = run.waits.call[wait];
  const site = placeOf(names.site(run.calls, call));
  return `${words}, in ${names.call(call)}${site ? ` (${site})` : ""}`;
}

// The reasons of a chain in a few words, without repetitions: "event, same stream".
function chainBriefly(links) {
  const crossing = links.map((link) => link.why).filter((why) => why !== "same stream");
  return crossing.length === 0 ? "same stream" : [...new Set(crossing)].join(", ");
}
