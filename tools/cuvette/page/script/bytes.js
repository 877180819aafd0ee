// Who touched the selected bytes, and what orders each access with those before it.

const mostTouching = 2000;    // commands that are listed
const mostCompared = 100;     // earlier accesses with which one is compared

class Bytes {
  constructor(view) {
    this.view = view;
    this.title = element("h3", {});
    this.summary = element("p", { class: "quiet-text", role: "status" });
    this.rows = [];
    this.answers = new Map();
    this.grid = new Grid({
      label: "Commands that touched the selected bytes",
      rows: 0,
      most: 6,
      columns: [
        { title: "", width: "2.4rem", isNumber: true, cell: (row) => String(row + 1) },
        { title: "Command", width: "minmax(8rem, 1.2fr)", cell: (row) => view.names.commandInFull(this.rows[row].command) },
        { title: "Order", width: "minmax(12.5rem, 2fr)", cell: (row) => this.orderElement(row) },
        { title: "Stream", width: "5rem", cell: (row) => capital(view.names.stream(view.names.streamOf(this.rows[row].command))) },
        { title: "Access", width: "minmax(9.5rem, 1fr)", cell: (row) => this.access(row) },
        { title: "Where", width: "minmax(7.5rem, 1fr)", cell: (row) => placeOf(view.names.site(view.run.commands, this.rows[row].command)) },
      ],
      isSelected: (row) => this.rows[row].command === view.state.command,
      classOf: (row) => (this.answer(row).unordered.length > 0 ? "wrong" : ""),
      onSelect: (row) => {
        this.selected = row;
        view.select({ command: this.rows[row].command }, { keepsBytes: true });
      },
    });
    this.chain = element("div", { class: "chain" });
    this.element = element("section", { class: "bytes", "aria-label": "Selected bytes" },
      element("div", { class: "section-head" }, this.title, button("Clear", { class: "quiet" }, () => view.select({ bytes: null }))),
      this.summary, this.grid.element, this.chain);
  }

  update(changed) {
    const { view } = this;
    const { bytes, command } = view.state;
    this.element.hidden = !bytes;
    if (!bytes) return;
    if (changed.has("bytes")) {
      const { rows, more } = view.spaces.touching(bytes, mostTouching);
      this.rows = rows;
      this.answers.clear();
      this.title.textContent = `${view.names.space(bytes.space)} ${rangeText(bytes.from, bytes.to)}`;
      this.summary.textContent = rows.length === 0 ? "No command touched these bytes."
        : `${countText(rows.length + more, "command")} touched ${bytes.to - bytes.from === 1 ? "this byte" : `these ${bytesText(bytes.to - bytes.from)}`}${rows.length > 1 ? ", in this order" : ""}${more ? `; the first ${rows.length} are listed` : ""}.`;
      this.grid.element.hidden = rows.length === 0;
      this.grid.setRows(rows.length);
    } else this.grid.render();
    this.showChain(this.rows.findIndex((row) => row.command === command));
  }

  access(row) {
    const { reads, writes, from, to } = this.rows[row];
    return element("span", { title: rangeText(from, to) }, `${accessText(reads, writes)} ${bytesText(to - from)}`);
  }

  // How an access is ordered with those before it that it conflicts with: {unordered: [row],
  // ordered: [{row, links}]}, the nearest first.
  answer(row) {
    if (this.answers.has(row)) return this.answers.get(row);
    const { order, run } = this.view;
    const own = this.rows[row];
    const answer = { unordered: [], ordered: [] };
    const { launch } = run.commands;
    for (let earlier = row - 1; earlier >= 0 && earlier >= row - mostCompared; earlier -= 1) {
      const other = this.rows[earlier];
      if (!(own.writes || other.writes) || own.from >= other.to || other.from >= own.to) continue;
      if (launch[own.command] === other.command || launch[other.command] === own.command) continue;
      const links = order.chain(other.command, own.command);
      if (links) answer.ordered.push({ row: earlier, links });
      else answer.unordered.push(earlier);
    }
    this.answers.set(row, answer);
    return answer;
  }

  orderElement(row) {
    const { unordered, ordered } = this.answer(row);
    if (unordered.length > 0) {
      const some = unordered.slice(0, 3).reverse().map((other) => String(other + 1));
      const more = unordered.length > 3 ? ` (and ${unordered.length - 3} more)` : "";
      const words = this.view.run.leftOut ? "no order among what is kept with" : "nothing orders it with";
      const text = `${words} ${listText(some)}${more}`;
      return element("span", { class: "unordered", title: text }, icon(icons.cross, "icon"), text);
    }
    if (ordered.length === 0) return element("span", { class: "quiet-text" }, row === 0 ? "the first" : "no conflict before");
    return `after ${ordered[0].row + 1}: ${chainBriefly(ordered[0].links)}`;
  }

  // The links, one by one, of the selected access.
  showChain(row) {
    const { view } = this;
    if (row < 0) {
      this.chain.replaceChildren();
      return;
    }
    const { unordered, ordered } = this.answer(row);
    const most = 5;
    const own = view.names.commandInFull(this.rows[row].command);
    this.chain.replaceChildren(
      ...unordered.slice(0, most).map((other) => element("p", { class: "unordered" }, icon(icons.cross, "icon"),
        `Nothing orders ${view.names.commandInFull(this.rows[other].command)} and ${own}: neither stream, nor event, nor host.`)),
      ...ordered.slice(0, most).map(({ row: other, links }) => element("div", {},
        element("p", {}, `After ${other + 1}, ${view.names.commandInFull(this.rows[other].command)}, by ${countText(links.length, "link")}:`),
        element("ol", {}, links.map((link) => element("li", {}, linkText(view, link)))))));
  }
}
