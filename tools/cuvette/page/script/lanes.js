// The rows of the timeline. A lane holds bars that do not overlap, by their beginning; a track is
// a stream, a thread or an object with its lanes; tracks stand in groups.

const mostLanes = 8;  // of a track; further ones would be drawn over the last

// A bar is {what: "command" | "call" | "life" | "mapped", item}; lanes hold items alone.
function tracksOf(view, names, order) {
  const groups = [];
  const group = (title) => {
    groups.push({ title, tracks: [] });
    return groups[groups.length - 1].tracks;
  };
  const lanesOfStreams = lanesOfCommands(view, order);
  view.devices.forEach((device, index) => {
    const streams = view.streams.map((_, i) => i).filter((i) => view.streams[i].device === index);
    const used = streams.filter((i) => lanesOfStreams[i].length > 0);
    if (used.length === 0) return;
    const tracks = group(capital(names.device(index)));
    for (const stream of used)
      tracks.push({ kind: "stream", index: stream, label: names.stream(stream), note: noteOfStream(view, stream),
        lanes: lanesOfStreams[stream].map((items) => ({ what: "command", items })) });
  });
  const homeless = view.streams.map((_, i) => i).filter((i) => view.streams[i].device === null && lanesOfStreams[i].length);
  if (homeless.length > 0) {
    const tracks = group("Unknown device");
    for (const stream of homeless)
      tracks.push({ kind: "stream", index: stream, label: names.stream(stream), note: "",
        lanes: lanesOfStreams[stream].map((items) => ({ what: "command", items })) });
  }
  if (view.resources.length > 0) {
    const tracks = group("Shared with others");
    view.resources.forEach((resource, index) => {
      const lanes = [{ what: "life", items: [index] }];
      if (resource.mapped.length > 0) lanes.push({ what: "mapped", items: resource.mapped.map((_, i) => i), resource: index });
      // "OpenGL buffer 1 (2097152 bytes)": the bytes are in the map.
      const label = resource.name.replace(/ \([^()]*\)$/, "") || resource.kind;
      tracks.push({ kind: "resource", index, label, note: resource.kind, whole: resource.name, lanes });
    });
  }
  const lanesOfThreads = lanesOfCalls(view);
  view.processes.forEach((_, process) => {
    const threads = view.threads.map((_t, i) => i).filter((i) => view.threads[i].process === process && lanesOfThreads[i].length);
    if (threads.length === 0) return;
    const tracks = group(view.processes.length > 1 ? `Host: ${names.process(process)}` : "Host");
    for (const thread of threads)
      tracks.push({ kind: "thread", index: thread, label: names.threadBriefly(thread), note: `thread ${view.threads[thread].id}`,
        lanes: lanesOfThreads[thread].map((items) => ({ what: "call", items })) });
  });
  return groups;
}

function noteOfStream(view, stream) {
  const { kind } = view.streams[stream];
  return kind === "legacy" ? "" : kind;
}

// Commands of a stream are one lane; steps of its graphs stand below, where there is room.
function lanesOfCommands(view, order) {
  const { commands } = view;
  const steps = view.streams.map(() => []);
  for (let command = 0; command < commands.rows; command += 1) {
    const launch = commands.launch[command];
    if (launch >= 0 && commands.stream[launch] >= 0) steps[commands.stream[launch]].push(command);
  }
  const { commandStart, commandEnd } = barsInTime(view, order);
  return view.streams.map((_, stream) => {
    const lanes = [];
    if (order.commandsOf[stream].length > 0) {
      const items = Int32Array.from(order.commandsOf[stream]);
      lanes.push(items);
    }
    const ends = [];
    const below = [];
    steps[stream].sort((a, b) => commandStart[a] - commandStart[b] || a - b);
    for (const step of steps[stream]) {
      let lane = ends.findIndex((end) => end <= commandStart[step]);
      if (lane < 0 && ends.length < mostLanes) lane = ends.push(0) - 1;
      if (lane < 0) lane = mostLanes - 1;
      ends[lane] = Math.max(ends[lane], commandEnd[step]);
      if (!below[lane]) below[lane] = [];
      below[lane].push(step);
    }
    return lanes.concat(below.map((items) => Int32Array.from(items)));
  });
}

// Calls of a thread nest: a call is one lane below the call that contains it.
function lanesOfCalls(view) {
  const { began, ended, thread, rows } = view.calls;
  const open = view.threads.map(() => []);  // the ends of the calls that are not over
  const lanes = view.threads.map(() => []);
  for (let call = 0; call < rows; call += 1) {
    if (thread[call] < 0) continue;
    const ends = open[thread[call]];
    while (ends.length > 0 && ends[ends.length - 1] <= began[call]) ends.pop();
    const depth = Math.min(ends.length, mostLanes - 1);
    ends.push(Number.isNaN(ended[call]) ? Infinity : ended[call]);
    const own = lanes[thread[call]];
    if (own.length === depth) own.push([]);
    own[depth].push(call);
  }
  return lanes.map((own) => own.map((items) => Int32Array.from(items)));
}

// Where bars begin and end, in nanoseconds. A command that did not begin waits until the end.
function barsInTime(view, order) {
  if (view.barsInTime) return view.barsInTime;
  const { commands, calls } = view;
  const commandStart = new Float64Array(commands.rows);
  const commandEnd = new Float64Array(commands.rows);
  for (let command = 0; command < commands.rows; command += 1) {
    const { began, ended, submitted } = commands;
    commandStart[command] = Number.isNaN(began[command]) ? submitted[command] : began[command];
    commandEnd[command] = Number.isNaN(ended[command]) ? view.end : ended[command];
    if (commandEnd[command] < commandStart[command]) commandEnd[command] = commandStart[command];
  }
  // In a stream, one begins after the other has ended; what did not begin shares the time that is left.
  for (const list of order.commandsOf) {
    for (let i = 1; i < list.length; i += 1)
      if (commandStart[list[i]] < commandStart[list[i - 1]]) commandStart[list[i]] = commandStart[list[i - 1]];
    for (let i = list.length - 2; i >= 0; i -= 1) {
      const next = commandStart[list[i + 1]];
      if (commandEnd[list[i]] > next && Number.isNaN(commands.ended[list[i]])) commandEnd[list[i]] = next;
    }
  }
  const callEnd = new Float64Array(calls.rows);
  for (let call = 0; call < calls.rows; call += 1)
    callEnd[call] = Number.isNaN(calls.ended[call]) ? view.end : calls.ended[call];
  view.barsInTime = { commandStart, commandEnd, callStart: calls.began, callEnd };
  return view.barsInTime;
}
