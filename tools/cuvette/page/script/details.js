// All about what is selected.

class Details {
  constructor(view) {
    this.view = view;
    this.element = element("aside", { class: "details", "aria-label": "Selected", "aria-live": "polite" });
  }

  update(changed) {
    const { state } = this.view;
    if (this.element.firstChild && !["command", "call", "memory"].some((name) => changed.has(name))) return;
    if (state.command >= 0) this.showCommand(state.command);
    else if (state.call >= 0) this.showCall(state.call);
    else if (state.memory >= 0) this.showMemory(state.memory);
    else this.element.replaceChildren(element("h3", {}, "Selected"),
      element("p", { class: "quiet-text" }, "Select a bar of the timeline or a window of the map to see what it is, what it waits for and which bytes it touches."));
  }

  show(title, rows) {
    this.element.replaceChildren(element("h3", { title }, title),
      element("dl", {}, rows.filter(([, value]) => value !== "" && value !== null && !(Array.isArray(value) && value.length === 0))
        .map(([name, value]) => [element("dt", {}, name),
          ...(Array.isArray(value) ? value : [value]).map((one) => element("dd", {}, one))])));
  }

  link(what, item, text) {
    return button(text, { class: "link" }, () => this.view.select({ [what]: item }));
  }

  // At most so many entries, and how many there are besides.
  some(list, make) {
    const most = 12;
    const made = list.slice(0, most).map(make);
    if (list.length > most) made.push(`and ${countText(list.length - most, "more", "more")}`);
    return made;
  }

  showCommand(command) {
    const { view } = this;
    const { names, run, order, spaces } = view;
    const { commands, edges } = run;
    const call = commands.call[command];
    const edgeTo = (edge, end) => this.link("command", edges[end][edge], `${names.commandInFull(edges[end][edge])}: ${whyWords[edgeWords[edges.why[edge]]]}`);
    const steps = [...order.stepsOf.of(command)];
    this.show(capital(names.commandInFull(command)), [
      ["Name", names.whole(commands.name, command)],
      ["In", names.streamInFull(names.streamOf(command))],
      ["Called at", names.site(commands, command)],
      ["Submitted by", call >= 0 ? this.link("call", call, names.call(call)) : ""],
      ["Began", this.duration(commands.began[command], commands.ended[command], commands.submitted[command])],
      ["Grid", commands.blocks[command] ? `${countText(commands.blocks[command], "block")} of ${countText(commands.threads[command], "thread")}` : ""],
      ["Step of", commands.launch[command] >= 0 ? this.link("command", commands.launch[command], names.commandInFull(commands.launch[command])) : ""],
      ["Steps", this.some(steps, (step) => this.link("command", step, names.command(step)))],
      ["Waits for", this.some([...order.edgesInto.of(command)].filter((edge) => edges.from[edge] >= 0), (edge) => edgeTo(edge, "from"))],
      ["Lets go on", this.some([...order.edgesFrom.of(command)].filter((edge) => edges.to[edge] >= 0), (edge) => edgeTo(edge, "to"))],
      ["The host waits", this.some([...order.waitsFor.of(command)].filter((wait) => run.waits.call[wait] >= 0),
        (wait) => this.link("call", run.waits.call[wait], `${names.call(run.waits.call[wait])} ${placeOf(names.site(run.calls, run.waits.call[wait]))}`))],
      ["Worst lines", this.worstLines(command)],
      ["Bytes", this.some(spaces.touchedBy(command), (touch) => (touch.space < 0 ? names.touch(touch)
        : button(names.touch(touch), { class: "link" }, () => view.select({ bytes: { space: touch.space, from: touch.from, to: touch.to } }, { keepsCommand: true }))))],
    ]);
  }

  // Of a profile, where the page has one: the lines of the kernel with an advice.
  worstLines(command) {
    const kernel = this.view.kernelOf(command);
    const lines = [];
    for (const extra of this.view.extras) {
      const { columns, rows, kernels } = extra.table;
      const advice = columns.findIndex((column) => column.title === "Advice");
      if (!kernel || advice < 0 || columns[0].title !== "Line") continue;
      rows.forEach((cells, row) => {
        if (kernels[row] === kernel && cells[advice] && lines.length < 3)
          lines.push(element("span", {}, button(cells[0], { class: "link" }, () => extra.select(row)), ` ${cells[advice]}`));
      });
    }
    return lines;
  }

  duration(began, ended, submitted) {
    if (Number.isNaN(began)) return `it did not begin; submitted at ${timeText(submitted)}`;
    const words = `at ${timeText(began)}`;
    return Number.isNaN(ended) ? `${words}, and did not end` : `${words}, for ${timeText(ended - began)} of this machine`;
  }

  showCall(call) {
    const { view } = this;
    const { names, run } = view;
    const { calls } = run;
    this.show(names.call(call), [
      ["Thread", names.thread(calls.thread[call])],
      ["Called at", names.site(calls, call)],
      ["Began", this.duration(calls.began[call], calls.ended[call])],
      ["Result", Number.isNaN(calls.ended[call]) ? "" : calls.result[call] === 0 ? "success" : `error ${calls.result[call] | 0}`],
      ["Bytes", calls.bytes[call] ? bytesText(calls.bytes[call]) : ""],
      ["Resources", calls.count[call] ? String(calls.count[call]) : ""],
      ["Classes", names.text(calls.classes, call)],
      ["Submitted", this.some(view.commandsOfCall(call), (command) => this.link("command", command, names.commandInFull(command)))],
      ["Waited for", this.some(view.waitedForBy(call), (command) => this.link("command", command, names.commandInFull(command)))],
    ]);
  }

  // The call that frees memory in the order of a stream returns before the memory is free.
  freedBy(memory) {
    const command = this.view.spaces.frees.get(memory);
    if (command === undefined) return "";
    const { submitted } = this.view.run.commands;
    return [this.link("command", command, this.view.names.commandInFull(command)),
      `called at ${timeText(submitted[command])}; the memory is there until the command has run`];
  }

  showMemory(memory) {
    const { view } = this;
    const { names, run } = view;
    const { memories } = run;
    const space = memories.space[memory];
    const range = { space, from: memories.offset[memory], to: memories.offset[memory] + memories.size[memory] };
    this.show(capital(names.memory(memory)), [
      ["Name", names.whole(memories.name, memory)],
      ["Kind", names.text(memories.kind, memory)],
      ["Address", names.address(memory)],
      ["Size", bytesText(memories.size[memory])],
      ["Of", `${names.space(space)} ${rangeText(range.from, range.to)}`],
      ["Device", memories.device[memory] >= 0 ? names.device(memories.device[memory]) : "the host"],
      ["Made at", names.site(memories, memory)],
      ["Freed by", this.freedBy(memory)],
      ["Lived", `from ${timeText(memories.began[memory])}${Number.isNaN(memories.ended[memory]) ? " to the end" : ` to ${timeText(memories.ended[memory])}`}`],
      ["", range.to > range.from ? button("Who touched these bytes?", { class: "link" }, () => view.select({ bytes: range })) : ""],
    ]);
  }
}
