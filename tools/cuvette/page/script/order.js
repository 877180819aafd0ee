// Which commands come before which: the order that a program made, whatever happened in this run.
//
// Before a command are: the commands before it in its stream; the ends of its edges; what a host
// thread had waited for before the call began that submitted it; and what is before any of these.
// A launch of a graph has ended when its steps have; a step begins after all that is before its launch.

const edgeWords = ["event", "legacy stream", "semaphore", "graph", "other"];

class Order {
  constructor(view) {
    const { commands, edges, waits, calls, threads, streams } = view;
    this.commands = commands;
    this.edges = edges;
    this.waits = waits;
    this.edgesInto = grouped(edges.to, commands.rows);
    this.edgesFrom = grouped(edges.from, commands.rows);
    this.stepsOf = grouped(commands.launch, commands.rows);
    this.waitsFor = grouped(waits.command, commands.rows);
    this.commandsOf = streams.map(() => []);
    for (let command = 0; command < commands.rows; command += 1)
      if (commands.stream[command] >= 0 && commands.launch[command] < 0)
        this.commandsOf[commands.stream[command]].push(command);
    for (const list of this.commandsOf) list.sort((a, b) => commands.number[a] - commands.number[b] || a - b);
    this.placeInStream = new Int32Array(commands.rows).fill(-1);
    for (const list of this.commandsOf)
      list.forEach((command, place) => {
        this.placeInStream[command] = place;
      });
    const processOfCall = (call) => (call < 0 || calls.thread[call] < 0 ? -1 : threads[calls.thread[call]].process);
    this.processOf = (command) => processOfCall(commands.call[command]);
    this.learnt = this.learntByProcess(processOfCall, calls);
    this.submitBegan = (command) =>
      commands.call[command] < 0 ? commands.submitted[command] : calls.began[commands.call[command]];
    this.cached = { command: -1 };
  }

  // For each process, for each stream, the waits that ended, with the last command known to have
  // ended by then: [{stream, times, places, waits}]
  learntByProcess(processOfCall, calls) {
    const learnt = new Map();
    const order = [];
    for (let wait = 0; wait < this.waits.rows; wait += 1) {
      const call = this.waits.call[wait];
      const command = this.waits.command[wait];
      if (call >= 0 && command >= 0 && !Number.isNaN(calls.ended[call])) order.push(wait);
    }
    order.sort((a, b) => calls.ended[this.waits.call[a]] - calls.ended[this.waits.call[b]]);
    for (const wait of order) {
      const call = this.waits.call[wait];
      let command = this.waits.command[wait];
      if (this.commands.launch[command] >= 0) command = this.commands.launch[command];
      const stream = this.commands.stream[command];
      if (stream < 0) continue;
      const process = processOfCall(call);
      if (!learnt.has(process)) learnt.set(process, new Map());
      const streams = learnt.get(process);
      if (!streams.has(stream)) streams.set(stream, { stream, times: [], places: [], waits: [] });
      const known = streams.get(stream);
      const place = this.placeInStream[command];
      const best = known.places.length > 0 ? known.places[known.places.length - 1] : -1;
      if (place <= best) continue;
      known.times.push(calls.ended[call]);
      known.places.push(place);
      known.waits.push(wait);
    }
    return learnt;
  }

  // Finds everything before a command. The result is kept until another command is asked for.
  before(command) {
    if (this.cached.command === command) return this.cached;
    const search = new BackwardSearch(this, command);
    this.cached = search;
    return search;
  }

  // Whether `first` has ended before `second` begins, in every order that is allowed.
  isBefore(first, second) {
    return first !== second && this.before(second).contains(first);
  }

  // Returns how the earlier of two commands is ordered before the other: links {from, to, why,
  // wait}, from the earlier one on. Nothing if nothing orders them.
  chain(first, second) {
    if (first === second) return null;
    if (this.before(second).contains(first)) return this.before(second).chainFrom(first);
    if (this.before(first).contains(second)) return this.before(first).chainFrom(second);
    return null;
  }
}

class BackwardSearch {
  constructor(order, command) {
    this.order = order;
    this.command = command;
    this.reached = new Int32Array(order.commandsOf.length).fill(-1);  // places in streams
    this.entries = order.commandsOf.map(() => []);  // {place, command, to, why, wait}
    this.steps = new Map();                         // step -> {to, why}
    this.hostSeen = new Map();                      // process -> up to which moment its waits count
    this.left = [];
    this.reachWhatIsBefore(command);
    while (this.left.length > 0) this.reachWhatIsBefore(this.left.pop());
  }

  contains(command) {
    const { commands, placeInStream } = this.order;
    if (commands.launch[command] >= 0) return this.steps.has(command);
    const stream = commands.stream[command];
    return stream >= 0 && placeInStream[command] <= this.reached[stream] && command !== this.command;
  }

  reachWhatIsBefore(command) {
    const { order } = this;
    const launch = order.commands.launch[command];
    if (launch >= 0) {
      this.reachEdges(command, command);
      this.reachBegin(launch, command);
      return;
    }
    if (command !== this.command)
      for (const step of order.stepsOf.of(command)) this.reachStep(step, command, "graph");
    this.reachBegin(command, command);
  }

  // What is before a command of a stream begins; `to` is that command, or a step of it.
  reachBegin(command, to) {
    const { order } = this;
    const place = order.placeInStream[command];
    const stream = order.commands.stream[command];
    if (place > 0) this.reach(order.commandsOf[stream][place - 1], to, "same stream", -1);
    this.reachEdges(command, to);
    this.reachWaits(command, to);
  }

  reachEdges(command, to) {
    const { order } = this;
    for (const edge of order.edgesInto.of(command)) {
      const from = order.edges.from[edge];
      if (from >= 0) this.reach(from, to, edgeWords[order.edges.why[edge]], -1);
    }
  }

  // What host threads of its process had waited for before its submission began.
  reachWaits(command, to) {
    const { order } = this;
    const process = order.processOf(command);
    const learnt = order.learnt.get(process);
    if (!learnt) return;
    const began = order.submitBegan(command);
    if (this.hostSeen.get(process) >= began) return;
    this.hostSeen.set(process, began);
    for (const { stream, times, places, waits } of learnt.values()) {
      const count = lowerBound(times.length, (i) => times[i], began + 0.5);
      if (count === 0) continue;
      this.reach(order.commandsOf[stream][places[count - 1]], to, "host wait", waits[count - 1]);
    }
  }

  reachStep(step, to, why) {
    if (step === this.command || this.steps.has(step)) return;
    this.steps.set(step, { to, why });
    this.left.push(step);
  }

  reach(command, to, why, wait) {
    const { order } = this;
    if (order.commands.launch[command] >= 0) {
      this.reachStep(command, to, why);
      return;
    }
    const stream = order.commands.stream[command];
    const place = order.placeInStream[command];
    if (stream < 0 || place <= this.reached[stream] || command === this.command) return;
    this.entries[stream].push({ place, command, to, why, wait });
    const list = order.commandsOf[stream];
    for (let at = this.reached[stream] + 1; at <= place; at += 1) this.left.push(list[at]);
    this.reached[stream] = place;
  }

  chainFrom(first) {
    const { order } = this;
    const links = [];
    let at = first;
    const most = order.commands.rows + 1;
    while (at !== this.command && links.length <= most) {
      if (order.commands.launch[at] >= 0) {
        const { to, why } = this.steps.get(at);
        links.push({ from: at, to, why, wait: -1 });
        at = to;
        continue;
      }
      // By the first way out of this stream that is not before the command.
      const place = order.placeInStream[at];
      const entries = this.entries[order.commands.stream[at]];
      let best = null;
      for (const entry of entries)
        if (entry.place >= place && (best === null || entry.place < best.place)) best = entry;
      if (best.why === "same stream" || best.command === at)
        links.push({ from: at, to: best.to, why: best.why, wait: best.wait });
      else if (best.why === "host wait")
        // A wait for a command is a wait for those before it in its stream.
        links.push({ from: at, to: best.to, why: best.why, wait: best.wait });
      else
        links.push(
          { from: at, to: best.command, why: "same stream", wait: -1 },
          { from: best.command, to: best.to, why: best.why, wait: best.wait },
        );
      at = best.to;
    }
    return links;
  }
}
