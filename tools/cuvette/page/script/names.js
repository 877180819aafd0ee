// What things are called.

const longestName = 100;  // letters of a name from a program, where it stands in a sentence
const mostOfName = 2000;  // where the name is shown whole

class Names {
  constructor(view) {
    this.view = view;
    this.severalProcesses = view.processes.length > 1;
  }

  text(column, row) {
    return this.view.texts[column[row]] || "";
  }

  // "kernel scale", "copy", "event record event 3"
  command(command) {
    const { kind, name } = this.view.commands;
    const what = this.text(kind, command) || "command";
    const called = this.text(name, command);
    return called ? `${what} ${shortName(called)}` : what;
  }

  // What fits into a bar: a kernel is known by its name, without the namespaces.
  commandBriefly(command) {
    const { kind, name } = this.view.commands;
    const what = this.text(kind, command);
    const called = this.text(name, command);
    if (what === "kernel" && called) return shortName(called).split("::").pop();
    return what.replace(/^event (record|wait)$/, "$1").replace(/^(unmap|map)ping of graphics resources$/, "$1");
  }

  // The name as the program spells it, if the others are a part of it; else nothing.
  whole(column, row) {
    const called = this.text(column, row);
    return called === shortName(called) ? "" : called.slice(0, mostOfName);
  }

  // "2.1", or "2.1 step 3" of a graph
  number(command) {
    const { launch, number, step, stream } = this.view.commands;
    const own = launch[command] < 0 ? command : launch[command];
    const lane = stream[own] < 0 ? "?" : this.view.streams[stream[own]].id;
    const name = `${lane}.${number[own]}`;
    return launch[command] < 0 ? name : `${name} step ${step[command]}`;
  }

  commandInFull(command) {
    return `${this.command(command)} (${this.number(command)})`;
  }

  streamOf(command) {
    const { launch, stream } = this.view.commands;
    return stream[launch[command] < 0 ? command : launch[command]];
  }

  stream(stream) {
    if (stream < 0) return "unknown stream";
    const { id, kind } = this.view.streams[stream];
    return kind === "legacy" ? "legacy stream" : `stream ${id}`;
  }

  streamInFull(stream) {
    if (stream < 0) return "unknown stream";
    const { device, id, kind, priority } = this.view.streams[stream];
    const parts = [kind === "legacy" ? `stream ${id}` : `${this.stream(stream)}, ${kind}`];
    if (kind === "legacy") parts[0] = `legacy stream (${id})`;
    if (priority) parts.push(`priority ${priority}`);
    if (device !== null) parts.push(this.device(device));
    return parts.join(", ");
  }

  device(device) {
    const { ordinal, name, process } = this.view.devices[device];
    const text = `device ${ordinal}${name ? ` (${name})` : ""}`;
    return this.severalProcesses && process !== null ? `${text} of ${this.process(process)}` : text;
  }

  process(process) {
    const { id, program } = this.view.processes[process];
    return `${program.split("/").pop() || "process"} ${id}`;
  }

  threadBriefly(thread) {
    const { id, name } = this.view.threads[thread];
    return name || `thread ${id}`;
  }

  thread(thread) {
    if (thread < 0) return "unknown";
    const { id, name } = this.view.threads[thread];
    return name && name !== String(id) ? `${name} (${id})` : String(id);
  }

  call(call) {
    return this.text(this.view.calls.function, call) || "a call";
  }

  space(space) {
    return shortName(this.text(this.view.spaces.name, space) || "memory");
  }

  // The name of an allocation, or of a window into a segment.
  memory(memory) {
    const { kind, name, space } = this.view.memories;
    const called = this.text(name, memory);
    if (called) return shortName(called);
    const what = this.text(kind, memory);
    if (this.view.spaces.segment[space[memory]] !== 1) return `${what} memory`;
    return what === "mapping" ? what : `${what} window`;
  }

  // The same, with its process if several share a page.
  window(memory) {
    const { process } = this.view.memories;
    if (!this.severalProcesses || process[memory] < 0) return this.memory(memory);
    return `${this.view.processes[process[memory]].program.split("/").pop()}: ${this.memory(memory)}`;
  }

  address(memory) {
    return `0x${this.view.memories.address[memory].toString(16)}`;
  }

  site(table, row) {
    return this.text(table.site, row);
  }

  // "reads 4 KiB of segment 1 at 64 KiB"
  touch({ space, from, to, reads, writes }) {
    const verb = accessText(reads, writes);
    if (space < 0) return `${verb} ${bytesText(to - from)} of unknown memory`;
    if (from === 0 && to === this.view.spaces.size[space]) return `${verb} all ${bytesText(to)} of ${this.space(space)}`;
    return `${verb} ${bytesText(to - from)} of ${this.space(space)} at ${offsetText(from)}`;
  }
}

// "reads and writes"
function accessText(reads, writes) {
  return listText([reads ? "reads" : "", writes ? "writes" : ""].filter(Boolean));
}

// A kernel's name without its parameters and the arguments of templates:
// "void (anonymous namespace)::Sum<float>::run<4>(float*)" -> "Sum::run"
function shortName(name) {
  const start = name.slice(0, mostOfName).replace(/^void /, "").replaceAll("(anonymous namespace)::", "");
  let plain = "";
  let depth = 0;
  for (const letter of start) {
    if (letter === "(" && depth === 0) break;
    if (letter === "<") depth += 1;
    else if (letter === ">" && depth > 0) depth -= 1;
    else if (depth === 0) plain += letter;
  }
  plain = plain.trim() || name;
  return plain.length > longestName ? `${plain.slice(0, longestName)}…` : plain;
}

// "main (race.cu:31)" -> "race.cu:31"
function placeOf(site) {
  const found = /\(([^()]*:\d+)\)\s*$/.exec(site);
  return found ? found[1].split("/").pop() : site;
}
