// The timeline: streams of devices, objects shared with others, calls of host threads.

const rowHeights = { group: 26, stream: 30, step: 24, call: 19, life: 16, mapped: 18, gap: 22, axis: 24 };

class Timeline extends Plot {
  constructor(view) {
    super(view.axis, { label: "Timeline: what each stream and host thread did", roleDescription: "timeline", most: 430 });
    this.view = view;
    this.groups = view.groups;
    this.element.classList.add("timeline");
    this.box.addEventListener("keydown", (event) => this.onKey(event));
    this.layOut();
  }

  // Gives each lane its place from top to bottom.
  layOut() {
    this.rows = [];  // {track, lane, y, height}; with a title: a group's heading
    let y = rowHeights.axis;
    for (const group of this.groups) {
      this.rows.push({ title: group.title, y, height: rowHeights.group });
      y += rowHeights.group;
      for (const track of group.tracks) {
        track.lanes.forEach((lane, i) => {
          const height = lane.what === "command" ? (i === 0 ? rowHeights.stream : rowHeights.step) : rowHeights[lane.what];
          this.rows.push({ track, lane, y, height, isFirst: i === 0, isLast: i === track.lanes.length - 1 });
          y += height;
        });
        y += rowHeights.gap;
      }
    }
    this.contentHeight = y + 4;
    const { run } = this.view;
    this.rowsOf = { command: new Int32Array(run.commands.rows).fill(-1), call: new Int32Array(run.calls.rows).fill(-1) };
    this.rows.forEach((row, i) => {
      const known = row.lane && this.rowsOf[row.lane.what];
      if (known) for (const item of row.lane.items) known[item] = i;
    });
  }

  rowOf(what, item) {
    return this.rows[this.rowsOf[what][item]];
  }

  height() {
    return this.contentHeight;
  }

  gutter(width) {
    return width < 520 ? 84 : 148;
  }

  describe(target) {
    const { names, run } = this.view;
    if (target.what === "command") {
      const { item } = target;
      const lines = [names.commandInFull(item), names.whole(run.commands.name, item), capital(names.stream(names.streamOf(item)))].filter(Boolean);
      const site = names.site(run.commands, item);
      if (site) lines.push(site);
      lines.push(...this.view.spaces.touchedBy(item).slice(0, 4).map((touch) => names.touch(touch)));
      return lines;
    }
    if (target.what === "call") return [names.call(target.item), names.site(run.calls, target.item)].filter(Boolean);
    if (target.what === "report") return [run.reports[target.item].message];
    if (target.what === "text") return [target.text];
    return [];
  }

  onClick(x, y) {
    const target = this.at(x, y);
    if (target && (target.what === "command" || target.what === "call")) this.view.select({ [target.what]: target.item });
    else if (target && target.what === "report") this.view.select({ report: target.item });
    else if (x > this.window.left) this.view.set({ moment: this.window.momentAt(this.window.positionAt(x)), command: -1, call: -1 });
  }

  selected() {
    const { command, call } = this.view.state;
    if (command >= 0) return { what: "command", item: command };
    if (call >= 0) return { what: "call", item: call };
    return null;
  }

  focusX(middle) {
    const selected = this.selected();
    if (!selected) return middle;
    const { from, to } = this.window.bar(selected.what, selected.item);
    const x = this.window.x((from + to) / 2);
    return x > this.window.left && x < this.window.left + this.window.width ? x : middle;
  }

  onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (this.zoomKey(event) || this.moveKey(event.key)) event.preventDefault();
  }

  moveKey(key) {
    if (key === "ArrowLeft" || key === "ArrowRight" || key === "Home" || key === "End") return this.along(key);
    if (key === "ArrowUp" || key === "ArrowDown") return this.across(key === "ArrowUp" ? -1 : 1);
    if (key === "f") {
      this.view.showSelected();
      return true;
    }
    return false;
  }

  barRows() {
    return this.rows.filter((row) => row.lane && (row.lane.what === "command" || row.lane.what === "call"));
  }

  selectIn(row, item) {
    this.view.select({ [row.lane.what]: item });
  }

  // To the next bar of the lane.
  along(key) {
    const selected = this.selected();
    const row = selected ? this.rowOf(selected.what, selected.item) : this.barRows()[0];
    if (!row) return true;
    const { items } = row.lane;
    const at = selected ? items.indexOf(selected.item) : -1;
    const next = key === "Home" ? 0 : key === "End" ? items.length - 1 : key === "ArrowRight" ? at + 1 : at - 1;
    this.selectIn(row, items[Math.min(Math.max(next, 0), items.length - 1)]);
    return true;
  }

  // To the bar of the lane above or below that is nearest in time.
  across(step) {
    const rows = this.barRows();
    const selected = this.selected();
    if (!selected || rows.length === 0) return this.along("Home");
    const at = rows.indexOf(this.rowOf(selected.what, selected.item));
    const row = rows[Math.min(Math.max(at + step, 0), rows.length - 1)];
    if (at < 0 || row === rows[at]) return true;
    const here = this.window.bar(selected.what, selected.item);
    const { items, what } = row.lane;
    const next = lowerBound(items.length, (i) => this.window.bar(what, items[i]).from, here.from);
    const near = [next - 1, next].filter((i) => i >= 0 && i < items.length);
    const distance = (i) => Math.abs(this.window.bar(what, items[i]).from - here.from);
    near.sort((a, b) => distance(a) - distance(b));
    this.selectIn(row, items[near[0]]);
    return true;
  }

  // Scrolls and moves so that a bar can be seen.
  reveal(what, item) {
    const row = this.rowOf(what, item);
    const { from, to } = this.window.bar(what, item);
    if (from < this.window.from || to > this.window.to) this.window.reveal(from);
    if (row) {
      if (row.y < this.box.scrollTop + rowHeights.axis) this.box.scrollTop = row.y - rowHeights.axis - 20;
      else if (row.y + row.height > this.box.scrollTop + this.box.clientHeight)
        this.box.scrollTop = row.y + row.height - this.box.clientHeight + 20;
    }
    this.draw();
  }
}
