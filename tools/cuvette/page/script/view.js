// One run of a program: what is selected in it, and the parts that show it. Selecting in one part
// selects in all.

class View {
  constructor(run, index, isAlone) {
    this.run = run;
    this.index = index;
    this.order = new Order(run);
    this.names = new Names(run);
    this.spaces = new Spaces(run);
    this.groups = tracksOf(run, this.names, this.order);
    this.axis = new TimeAxis(run, this.order);
    this.callsSubmit = grouped(run.commands.call, run.calls.rows);
    this.callsWait = grouped(run.waits.call, run.calls.rows);
    this.mendings = new Map();
    this.state = { report: -1, command: -1, call: -1, memory: -1, bytes: null, moment: 0, touchers: [], launches: [] };
    this.reports = new Reports(this);
    this.timeline = new Timeline(this);
    this.map = new AddressMap(this);
    this.details = new Details(this);
    this.bytes = new Bytes(this);
    this.tables = new Tables(this);
    this.extras = run.extraTables.map((table) => new ExtraTable(this, table));
    this.parts = [this.reports, this.details, this.bytes, this.tables, ...this.extras];
    this.element = this.build(isAlone);
    if (run.reports.length > 0) this.select({ report: 0 });
    else this.selectAtFirst();
  }

  build(isAlone) {
    const { run } = this;
    this.modes = ["order", "time"].map((mode) => {
      const made = button(mode === "order" ? "Order" : "Time", { class: "mode" }, () => this.setMode(mode));
      if (mode === "order") {
        made.title = "Each beginning and each end has its own room";
        made.disabled = !this.axis.canBeInOrder;
      } else made.title = "Widths are time of this machine, never of a GPU";
      return made;
    });
    this.showMode();
    const zooms = (plot, what) => element("span", { class: "zooms" }, [["−", "Shorter", 1.6], ["+", "Longer", 1 / 1.6]].map(([text, , factor]) =>
      button(text, { class: "step", "aria-label": `${factor > 1 ? "Zoom out of" : "Zoom into"} the ${what}` }, () => {
        plot.window.zoom(factor, plot.focusX ? plot.focusX(plot.window.left + plot.window.width / 2) : plot.window.left + plot.window.width / 2);
        plot.draw();
      })), button("Fit", { class: "step wide", "aria-label": `Show all of the ${what}` }, () => {
        plot.window.fit();
        plot.draw();
      }));
    this.momentText = element("p", { class: "quiet-text moment" });
    return element("section", { class: "view", "aria-label": run.title },
      isAlone ? null : element("h2", { class: "view-title" }, run.title),
      this.factsElement(), ...this.notices(),
      this.reports.element,
      element("div", { class: "columns" },
        element("div", { class: "pictures" },
          element("section", { "aria-label": "Timeline" },
            element("div", { class: "section-head" }, element("h3", {}, "Timeline"),
              element("span", { class: "modes", role: "group", "aria-label": "Widths" }, this.modes), zooms(this.timeline, "timeline")),
            this.timeline.element),
          element("section", { "aria-label": "Address map" },
            element("div", { class: "section-head" }, element("h3", {}, "Memory at the cursor"), this.momentText, zooms(this.map, "map")),
            this.map.element),
          this.bytes.element),
        this.details.element),
      ...this.extras.map((table) => table.element),
      this.tables.element);
  }

  factsElement() {
    const { run } = this;
    const used = this.order.commandsOf.filter((list) => list.length > 0).length;
    const facts = run.processes.slice(0, 3).map((process) => process.commandLine || process.program);
    if (run.processes.length > 3) facts.push(`${countText(run.processes.length, "process", "processes")} in all`);
    const counts = [countText(used, "stream"), countText(run.commands.rows, "command"), countText(run.calls.rows, "call")];
    if (run.reports.length > 0) counts.push(countText(run.reports.length, "report"));
    return element("p", { class: "run-facts" }, ...facts.map((text) => element("code", {}, text)), element("span", {}, counts.join(" · ")));
  }

  // What a reader has to know before anything else.
  notices() {
    const { run } = this;
    const lines = [];
    const killed = run.processes.filter((process) => process.ended === null);
    const name = (process) => this.names.process(run.processes.indexOf(process));
    if (killed.length === 1) lines.push(`${name(killed[0])} did not end by itself: this is what was recorded until then.`);
    if (killed.length > 1)
      lines.push(`${killed.length} processes did not end by themselves (${killed.slice(0, 3).map(name).join(", ")}${killed.length > 3 ? ", ..." : ""}): this is what was recorded until then.`);
    const dropped = run.processes.reduce((sum, process) => sum + process.dropped, 0);
    if (dropped > 0) lines.push(`${countText(dropped, "record")} found no room and ${dropped === 1 ? "is" : "are"} missing.`);
    if (run.unreadable > 0) lines.push(`${countText(run.unreadable, "record")} made no sense and ${run.unreadable === 1 ? "was" : "were"} left out.`);
    if (run.leftOut)
      lines.push(`The run is too long for one page. ${countText(run.leftOut.commands, "command")} and ${countText(run.leftOut.calls, "call")} are left out; what is near the reports is here.`);
    if (run.commands.rows === 0 && run.calls.rows === 0) lines.push("Nothing was recorded: the program made no call of CUDA.");
    return lines.length > 0 ? [element("div", { class: "notice" }, lines.map((line) => element("p", {}, line)))] : [];
  }

  setMode(mode) {
    const { moment } = this.state;
    this.axis.setMode(mode);
    this.showMode();
    const shown = this.state.report >= 0 ? this.missing() : null;
    if (shown) this.showBars([shown.from, shown.to]);
    else this.axis.reveal(this.axis.positionOf(moment));
    this.timeline.draw();
  }

  showMode() {
    this.modes.forEach((made, i) => made.setAttribute("aria-pressed", String(this.axis.mode === ["order", "time"][i])));
  }

  // Selects one thing: {report}, {command}, {call}, {memory} or {bytes}, and with it its moment.
  select(wanted, options) {
    const { keepsBytes, keepsCommand, keepsLayout } = options || {};
    const changes = { command: -1, call: -1, memory: -1, launches: [], ...wanted };
    if (keepsCommand || (wanted.bytes !== undefined && wanted.command === undefined && keepsLayout)) {
      delete changes.command;
      delete changes.call;
      delete changes.memory;
    }
    if (wanted.report !== undefined) Object.assign(changes, this.ofReport(wanted.report));
    if (wanted.command >= 0 && wanted.command !== undefined) changes.moment = barsInTime(this.run, this.order).commandStart[wanted.command];
    else if (wanted.call >= 0 && wanted.call !== undefined) changes.moment = this.run.calls.began[wanted.call];
    else if (wanted.memory >= 0 && wanted.memory !== undefined && !this.spaces.isAlive(wanted.memory, this.state.moment))
      changes.moment = this.run.memories.began[wanted.memory];
    if ((wanted.command !== undefined || wanted.call !== undefined) && !keepsBytes && wanted.bytes === undefined && wanted.report === undefined)
      changes.bytes = null;
    if (wanted.memory >= 0 && wanted.bytes === undefined) changes.bytes = this.bytesOfMemory(wanted.memory);
    this.set(changes);
    if (wanted.command >= 0) this.timeline.reveal("command", wanted.command);
    if (wanted.call >= 0) this.timeline.reveal("call", wanted.call);
    this.say();
  }

  bytesOfMemory(memory) {
    const { space, offset, size } = this.run.memories;
    return size[memory] > 0 ? { space: space[memory], from: offset[memory], to: offset[memory] + size[memory] } : null;
  }

  ofReport(index) {
    const report = this.run.reports[index];
    const missing = this.missingOf(index);
    const [first, second] = report.commands;
    const bytes = report.bytes || (second !== undefined ? this.spaces.meeting(first, second) : null);
    const bars = barsInTime(this.run, this.order);
    const last = missing && missing.to.what === "command" ? missing.to.item : report.commands[0];
    let moment = report.time === null ? 0 : report.time;
    if (last !== undefined) moment = bars.commandStart[last];
    const parties = missing ? [missing.from, missing.to] : [...report.commands.map((item) => ({ what: "command", item })), ...report.calls.map((item) => ({ what: "call", item }))];
    if (parties.length > 0) this.showBars(parties);
    return { bytes, moment };
  }

  // Zooms if bars would be too small to read, or are outside.
  showBars(parties) {
    const { axis } = this;
    axis.fit();
    const bars = parties.map(({ what, item }) => axis.bar(what, item));
    const from = Math.min(...bars.map((bar) => bar.from));
    const to = Math.max(...bars.map((bar) => bar.to));
    const shortest = Math.min(...bars.map((bar) => bar.to - bar.from));
    const enough = 0.075;  // of the width
    if (shortest / (axis.to - axis.from) >= enough) return;
    const size = Math.max((to - from) * 1.5, Math.min(shortest / enough, axis.length));
    const middle = (from + to) / 2;
    axis.show(middle - size / 2, middle + size / 2, 0);
  }

  set(changes) {
    const changed = new Set(Object.keys(changes).filter((name) => this.state[name] !== changes[name]));
    Object.assign(this.state, changes);
    if (changed.has("bytes"))
      this.state.touchers = this.state.bytes ? this.spaces.touching(this.state.bytes, 500).rows.map((row) => row.command) : [];
    for (const part of this.parts) part.update(changed);
    this.momentText.textContent = this.run.commands.rows + this.run.calls.rows > 0 ? `${timeText(this.state.moment)} after the start` : "";
    this.timeline.draw();
    this.map.draw();
  }

  // Tells those who listen what is selected.
  say() {
    const { state, names } = this;
    let words = "";
    if (state.command >= 0) {
      const touches = this.spaces.touchedBy(state.command).slice(0, 3).map((touch) => names.touch(touch));
      words = [names.commandInFull(state.command), names.stream(names.streamOf(state.command)), ...touches,
        this.isFaulty("command", state.command) ? "part of the selected report" : ""].filter(Boolean).join(", ");
    } else if (state.call >= 0) words = `${names.call(state.call)}, thread ${names.thread(this.run.calls.thread[state.call])}`;
    this.timeline.status.textContent = words;
    if (state.bytes) this.map.status.textContent = `${names.space(state.bytes.space)}, ${rangeText(state.bytes.from, state.bytes.to)}, ${this.bytes.summary.textContent}`;
  }

  commandsOfCall(call) {
    return [...this.callsSubmit.of(call)];
  }

  // The name of the kernel that a command launches; else nothing.
  kernelOf(command) {
    const { kind, name } = this.run.commands;
    return this.names.text(kind, command) === "kernel" ? this.names.text(name, command) : "";
  }

  launchesOf(kernel) {
    if (!this.launchesByName) {
      this.launchesByName = new Map();
      for (let command = 0; command < this.run.commands.rows; command += 1) {
        const name = this.kernelOf(command);
        if (!name) continue;
        if (!this.launchesByName.has(name)) this.launchesByName.set(name, []);
        this.launchesByName.get(name).push(command);
      }
    }
    return this.launchesByName.get(kernel) || [];
  }

  waitedForBy(call) {
    return [...this.callsWait.of(call)].map((wait) => this.run.waits.command[wait]).filter((command) => command >= 0);
  }

  // What the selected report is about: {what, item}.
  faulty() {
    const report = this.run.reports[this.state.report];
    if (!report) return [];
    return [...report.commands.map((item) => ({ what: "command", item })), ...report.calls.map((item) => ({ what: "call", item }))];
  }

  isFaulty(what, item) {
    return this.faulty().some((one) => one.what === what && one.item === item);
  }

  missingOf(index) {
    if (!this.mendings.has(index)) this.mendings.set(index, mendingOf(this, this.run.reports[index]));
    return this.mendings.get(index);
  }

  missing() {
    return this.state.report < 0 ? null : this.missingOf(this.state.report);
  }

  // What a command of the selected report touches of the bytes that it is about.
  touchesOfReport(command) {
    const { bytes } = this.state;
    const touches = this.spaces.touchedBy(command).filter((touch) => !bytes
      || (touch.space === bytes.space && touch.from < bytes.to && touch.to > bytes.from));
    return touches.slice(0, 2).map((touch) => this.names.touch(touch));
  }

  stepReport(by) {
    const count = this.run.reports.length;
    if (count > 0) this.select({ report: (this.state.report + by + count) % count });
  }

  // Zooms to what is selected.
  showSelected() {
    const selected = this.timeline.selected();
    if (selected) {
      const { from, to } = this.axis.bar(selected.what, selected.item);
      this.axis.show(from, to, 2);
    } else if (this.missing()) this.showBars([this.missing().from, this.missing().to]);
    this.timeline.draw();
  }

  // The first bytes that are seen through several windows at one time: {bytes, windows, moment}. The
  // moment is that of the last command that touches them, if they are still seen twice then.
  firstShared() {
    const { spaces, memories } = this.run;
    const bars = barsInTime(this.run, this.order);
    for (let space = 0; space < Math.min(spaces.rows, 2000); space += 1) {
      if (!this.spaces.sharesBytes(space)) continue;
      const moments = [...this.spaces.windowsOf.of(space)].map((memory) => memories.began[memory]);
      const touching = this.spaces.touching({ space, from: 0, to: Infinity }, 1000).rows.map((row) => bars.commandStart[row.command]);
      for (const moment of [...touching.reverse(), ...moments]) {
        const pieces = this.spaces.seenTwice(this.spaces.windowsAt(space, moment));
        if (pieces.length > 0) return { bytes: { space, from: pieces[0].from, to: pieces[0].to }, windows: pieces[0].windows, moment };
      }
    }
    return null;
  }

  // Without a report: bytes that are seen twice, or the last command's moment.
  selectAtFirst() {
    const shared = this.firstShared();
    const { commands } = this.run;
    if (shared) this.select({ bytes: shared.bytes, moment: shared.moment });
    else this.set({ moment: commands.rows > 0 ? barsInTime(this.run, this.order).commandStart[commands.rows - 1] : this.run.end });
  }
}
