// A table of any length: only the rows that can be seen are in the page. It takes the focus; arrows
// go from row to row, Enter selects.

const gridRow = 30;   // pixels
const gridMost = 9;   // rows that are seen at once
let gridCount = 0;

class Grid {
  // columns: {title, width (of CSS), isNumber, cell(row)}; a cell is a text or an element.
  constructor({ label, columns, rows, onSelect, isSelected, classOf, most }) {
    Object.assign(this, { columns, rows, onSelect, isSelected, classOf, most: most || gridMost });
    gridCount += 1;
    this.id = `grid-${gridCount}`;
    this.active = 0;
    this.body = element("div", { class: "grid-body", role: "rowgroup" });
    this.scroller = element("div", { class: "grid-scroll", tabindex: "0", role: "grid", "aria-label": label,
      "aria-rowcount": rows + 1, "aria-colcount": columns.length },
      element("div", { class: "grid-head", role: "rowgroup" }, this.headRow()), this.body);
    this.element = element("div", { class: "grid" }, this.scroller);
    this.scroller.addEventListener("scroll", () => this.render());
    this.scroller.addEventListener("keydown", (event) => this.onKey(event));
    this.scroller.addEventListener("focus", () => this.render());
    this.setRows(rows);
    new ResizeObserver(() => this.render()).observe(this.scroller);
  }

  headRow() {
    const row = element("div", { class: "grid-row", role: "row", "aria-rowindex": "1" });
    row.style.gridTemplateColumns = this.template();
    this.columns.forEach((column) => row.append(element("div", { role: "columnheader", class: column.isNumber ? "number" : "" }, column.title)));
    return row;
  }

  template() {
    return this.columns.map((column) => column.width || "minmax(6rem, 1fr)").join(" ");
  }

  setRows(rows) {
    this.rows = rows;
    this.active = Math.min(this.active, Math.max(rows - 1, 0));
    this.scroller.setAttribute("aria-rowcount", rows + 1);
    this.scroller.style.maxHeight = `${(Math.min(rows, this.most) + 1) * gridRow + 14}px`;
    this.body.style.height = `${rows * gridRow}px`;
    this.scroller.scrollTop = 0;
    this.render();
  }

  render() {
    const first = Math.max(0, Math.floor(this.scroller.scrollTop / gridRow) - 2);
    const seen = Math.ceil((this.scroller.clientHeight || this.most * gridRow) / gridRow) + 4;
    const rows = [];
    for (let row = first; row < Math.min(this.rows, first + seen); row += 1) rows.push(this.rowElement(row));
    this.body.replaceChildren(...rows);
    const isThere = this.active >= first && this.active < first + seen && this.rows > 0;
    if (isThere) this.scroller.setAttribute("aria-activedescendant", `${this.id}-${this.active}`);
    else this.scroller.removeAttribute("aria-activedescendant");
  }

  rowElement(row) {
    const isSelected = this.isSelected ? this.isSelected(row) : false;
    const classes = ["grid-row", isSelected ? "selected" : "", row === this.active ? "active" : "", this.classOf ? this.classOf(row) : ""];
    const made = element("div", { class: classes.filter(Boolean).join(" "), role: "row", id: `${this.id}-${row}`, "aria-rowindex": row + 2,
      "aria-selected": isSelected ? "true" : "false", onclick: () => this.choose(row) });
    made.style.gridTemplateColumns = this.template();
    made.style.top = `${row * gridRow}px`;
    for (const column of this.columns) {
      const cell = column.cell(row);
      const title = typeof cell === "string" && cell.length > 24 ? cell.slice(0, 2000) : null;
      made.append(element("div", { role: "gridcell", class: column.isNumber ? "number" : "", title }, typeof cell === "string" ? cell.slice(0, 2000) : cell));
    }
    return made;
  }

  choose(row) {
    this.active = row;
    if (this.onSelect) this.onSelect(row);
    this.render();
  }

  onKey(event) {
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: this.most, PageUp: -this.most, Home: -this.rows, End: this.rows };
    if (event.key === "Enter" || event.key === " ") this.choose(this.active);
    else if (event.key in moves) {
      this.active = Math.min(Math.max(this.active + moves[event.key], 0), Math.max(this.rows - 1, 0));
      this.showRow(this.active);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  showRow(row) {
    const top = row * gridRow;
    const room = this.scroller.clientHeight - gridRow;
    if (top < this.scroller.scrollTop) this.scroller.scrollTop = top;
    else if (top + gridRow > this.scroller.scrollTop + room) this.scroller.scrollTop = top + gridRow - room;
    this.render();
  }
}
