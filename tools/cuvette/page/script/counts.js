// A table that the page was given: the counts of a profile, or what an order holds back. Numbers have
// bars that compare the rows. A row may have a note, and be about a kernel: it selects the kernel's
// launches, and is marked when one of them is selected.

class ExtraTable {
  constructor(view, table) {
    Object.assign(this, { view, table });
    this.selected = -1;
    const { title, explanation, columns, rows } = table;
    const most = columns.map((column, i) => (column.number ? rows.reduce((max, row) => Math.max(max, Math.abs(Number(row[i])) || 0), 0) : 0));
    this.grid = new Grid({ label: title, rows: rows.length, most: 8,
      columns: columns.map((column, i) => ({ title: column.title, width: this.widthOf(column), isNumber: column.number,
        cell: (row) => this.cell(row, i, most[i]) })),
      isSelected: (row) => row === this.selected,
      classOf: (row) => (this.isOfSelected(row) ? "related" : ""),
      onSelect: (row) => this.select(row) });
    this.note = element("div", { class: "note", role: "status" });
    this.element = element("section", { class: "extra", "aria-label": title }, element("h3", {}, title),
      explanation ? element("p", { class: "quiet-text" }, explanation) : null, this.grid.element, this.note);
  }

  widthOf(column) {
    if (column.number) return "minmax(6.2rem, 0.5fr)";
    return column.title === "Advice" || column.title === "Source" ? "minmax(10rem, 2fr)" : "minmax(7rem, 1fr)";
  }

  cell(row, column, most) {
    const text = this.table.rows[row][column] || "";
    if (!this.table.columns[column].number) return this.table.columns[column].title === "Kernel" ? element("span", { title: text }, shortName(text)) : text;
    if (most === 0) return text;
    const bar = element("span", { class: "cell-bar", "aria-hidden": "true" });
    bar.style.width = `${((Math.abs(Number(text)) || 0) / most) * 100}%`;
    return element("span", { class: "cell-number" }, bar, element("span", {}, text));
  }

  // The launches that a row is about.
  launches(row) {
    const kernel = this.table.kernels[row];
    return kernel === undefined ? [] : this.view.launchesOf(kernel);
  }

  select(row) {
    const launches = this.launches(row);
    this.selected = row;
    if (launches.length > 0) this.view.select({ command: launches.includes(this.view.state.command) ? this.view.state.command : launches[0], launches });
    this.showNote();
  }

  isOfSelected(row) {
    const { command } = this.view.state;
    return this.table.kernels.length > 0 && command >= 0 && this.table.kernels[row] === this.view.kernelOf(command);
  }

  update(changed) {
    if (this.table.kernels.length > 0 && changed.has("command")) {
      // What is selected stays if it is about the command's kernel, else it is the first row that is.
      if (this.selected < 0 || !this.isOfSelected(this.selected)) {
        this.selected = this.table.kernels.findIndex((_, row) => this.isOfSelected(row));
        if (this.selected >= 0) {
          this.grid.active = this.selected;
          this.grid.showRow(this.selected);
        }
      }
      this.showNote();
    }
    this.grid.render();
  }

  showNote() {
    const { notes } = this.table;
    const words = this.selected < 0 ? "" : notes[this.selected] || "";
    const launches = this.selected < 0 ? [] : this.launches(this.selected);
    const most = 12;
    this.note.replaceChildren(...[
      words ? element("pre", { tabindex: "0", "aria-label": "Counts" }, words.trimEnd()) : null,
      launches.length > 0 ? element("p", { class: "quiet-text" }, `${countText(launches.length, "launch", "launches")}: `,
        launches.slice(0, most).map((command, i) => [i > 0 ? ", " : "", button(this.view.names.number(command), { class: "link" },
          () => this.view.select({ command, launches }))]), launches.length > most ? " ..." : "") : null].filter(Boolean));
  }
}
