// Everything as tables: for screen readers, and for those who prefer to read. They are made when they are opened.

class Tables {
  constructor(view) {
    this.view = view;
    this.kinds = this.describe();
    this.panel = element("div", { class: "table-panel", role: "tabpanel", id: `tables-${view.index}` });
    this.tabs = this.kinds.map((kind, i) => button(`${kind.title} (${kind.rows.toLocaleString("en")})`, { role: "tab",
      "aria-selected": "false", "aria-controls": this.panel.id, tabindex: i === 0 ? "0" : "-1" }, () => this.open(i)));
    this.list = element("div", { role: "tablist", class: "tabs", "aria-label": "Tables" }, this.tabs);
    this.list.addEventListener("keydown", (event) => this.onKey(event));
    this.current = -1;
    this.element = element("details", { class: "tables" }, element("summary", {}, element("h3", {}, "Everything as tables")), this.list, this.panel);
    this.element.addEventListener("toggle", () => {
      if (this.element.open && this.current < 0) this.open(0);
    });
  }

  onKey(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    this.open((this.current + step + this.tabs.length) % this.tabs.length);
    this.tabs[this.current].focus();
  }

  open(index) {
    this.current = index;
    this.tabs.forEach((tab, i) => {
      tab.setAttribute("aria-selected", i === index ? "true" : "false");
      tab.tabIndex = i === index ? 0 : -1;
    });
    const kind = this.kinds[index];
    this.grid = new Grid({ label: kind.title, rows: kind.rows, columns: kind.columns, onSelect: kind.onSelect, isSelected: kind.isSelected, most: 12 });
    this.panel.replaceChildren(kind.rows === 0 ? element("p", { class: "quiet-text" }, "There are none.") : this.grid.element);
  }

  update() {
    if (this.element.open && this.grid) this.grid.render();
  }

  describe() {
    const { view } = this;
    const { names, run } = view;
    const { commands, calls, memories, edges, waits, reports } = run;
    const selects = (what, of) => ({ onSelect: (row) => {
      if (of(row) >= 0) view.select({ [what]: of(row) });
    }, isSelected: (row) => view.state[what] === of(row) && of(row) >= 0 });
    const same = (row) => row;
    const time = (column) => (row) => (Number.isNaN(column[row]) ? "never" : timeText(column[row]));
    const command = (of) => (row) => (of(row) < 0 ? "left out" : names.commandInFull(of(row)));
    const length = (began, ended) => (row) => (Number.isNaN(ended[row]) ? "did not end" : timeText(ended[row] - began[row]));
    return [
      { title: "Commands", rows: commands.rows, ...selects("command", same), columns: [
        { title: "Command", width: "minmax(10rem, 1.4fr)", cell: (row) => names.commandInFull(row) },
        { title: "Stream", width: "8rem", cell: (row) => capital(names.stream(names.streamOf(row))) },
        { title: "Submitted", width: "6rem", isNumber: true, cell: time(commands.submitted) },
        { title: "Began", width: "6rem", isNumber: true, cell: time(commands.began) },
        { title: "Took", width: "6.5rem", isNumber: true, cell: length(commands.began, commands.ended) },
        { title: "Bytes", width: "minmax(10rem, 1.6fr)", cell: (row) => view.spaces.touchedBy(row).slice(0, 8).map((touch) => names.touch(touch)).join("; ") },
        { title: "Called at", cell: (row) => names.site(commands, row) }] },
      { title: "Calls", rows: calls.rows, ...selects("call", same), columns: [
        { title: "Function", width: "minmax(12rem, 1.4fr)", cell: (row) => names.call(row) },
        { title: "Thread", width: "9rem", cell: (row) => names.thread(calls.thread[row]) },
        { title: "Began", width: "6rem", isNumber: true, cell: time(calls.began) },
        { title: "Took", width: "6.5rem", isNumber: true, cell: length(calls.began, calls.ended) },
        { title: "Result", width: "6rem", isNumber: true, cell: (row) => (Number.isNaN(calls.ended[row]) ? "" : calls.result[row] === 0 ? "success" : `error ${calls.result[row] | 0}`) },
        { title: "Called at", cell: (row) => names.site(calls, row) }] },
      { title: "Memory", rows: memories.rows, ...selects("memory", same), columns: [
        { title: "Memory", width: "minmax(10rem, 1fr)", cell: (row) => names.memory(row) },
        { title: "Kind", width: "7rem", cell: (row) => names.text(memories.kind, row) },
        { title: "Address", width: "9.5rem", isNumber: true, cell: (row) => names.address(row) },
        { title: "Size", width: "6rem", isNumber: true, cell: (row) => bytesText(memories.size[row]) },
        { title: "Bytes of", width: "minmax(11rem, 1fr)", cell: (row) => `${names.space(memories.space[row])} ${rangeText(memories.offset[row], memories.offset[row] + memories.size[row])}` },
        { title: "Made", width: "6rem", isNumber: true, cell: time(memories.began) },
        { title: "Freed", width: "6rem", isNumber: true, cell: time(memories.ended) },
        { title: "Made at", cell: (row) => names.site(memories, row) }] },
      { title: "Order", rows: edges.rows, ...selects("command", (row) => edges.to[row]), columns: [
        { title: "First", cell: command((row) => edges.from[row]) },
        { title: "Then", cell: command((row) => edges.to[row]) },
        { title: "Why", cell: (row) => whyWords[edgeWords[edges.why[row]]] }] },
      { title: "Host waits", rows: waits.rows, ...selects("call", (row) => waits.call[row]), columns: [
        { title: "Command", cell: command((row) => waits.command[row]) },
        { title: "Known to have ended after", cell: (row) => (waits.call[row] < 0 ? "left out" : `${names.call(waits.call[row])} ${placeOf(names.site(calls, waits.call[row]))}`) }] },
      { title: "Reports", rows: reports.length, ...selects("report", same), columns: [
        { title: "Severity", width: "7.5rem", cell: (row) => severityElement(reports[row]) },
        { title: "Report", width: "11rem", cell: (row) => reports[row].identifier },
        { title: "What happened", width: "minmax(14rem, 3fr)", cell: (row) => reports[row].message },
        { title: "Commands", cell: (row) => reports[row].commands.map((item) => names.commandInFull(item)).join(", ") }] },
    ];
  }
}
