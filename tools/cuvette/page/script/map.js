// The address map: for each space its bytes from left to right, and its windows at the cursor's
// moment as lanes. Bytes that several windows show are hatched.

const mapHeights = { head: 30, axis: 18, bytes: 20, window: 24, touch: 20, foot: 16 };
const mostSpaces = 200;   // that are drawn; further ones are in the tables
const mostWindows = 40;   // of a space

class AddressMap extends Plot {
  constructor(view) {
    super(new Window(1), { label: "Address map: which bytes are the same", roleDescription: "address map", most: 360 });
    this.view = view;
    this.element.classList.add("map");
    this.box.addEventListener("keydown", (event) => this.onKey(event));
    this.shares = new Map();
    this.shown = [];
    this.key = "";
  }

  // Puts the spaces that matter most first: of the report, of what is selected, seen twice, touched.
  layOut() {
    const { run, state, spaces } = this.view;
    const key = [state.moment, state.command, state.report, state.bytes && state.bytes.space, state.call].join();
    if (key === this.key) return;
    this.key = key;
    const weight = new Map();
    const add = (space, value) => {
      if (space >= 0) weight.set(space, (weight.get(space) || 0) + value);
    };
    const touching = (command, value) => new Set(spaces.touchedBy(command).map((touch) => touch.space)).forEach((space) => add(space, value));
    if (state.bytes) add(state.bytes.space, 1000);
    if (state.command >= 0) touching(state.command, 100);
    this.view.faulty().forEach(({ what, item }) => {
      if (what === "command") touching(item, 50);
    });
    const alive = [];
    for (let space = 0; space < run.spaces.rows; space += 1) {
      const isAlive = run.spaces.began[space] <= state.moment && !(run.spaces.ended[space] <= state.moment);
      if (!isAlive && !weight.has(space)) continue;
      if (run.spaces.segment[space] === 1) add(space, 10);
      if (run.spaces.rows <= 2000 || run.spaces.segment[space] === 1) {
        if (!this.shares.has(space)) this.shares.set(space, spaces.sharesBytes(space));
        if (this.shares.get(space)) add(space, 20);
      }
      if (spaces.touchesOf.of(space).length > 0) add(space, 5);
      alive.push(space);
    }
    alive.sort((a, b) => (weight.get(b) || 0) - (weight.get(a) || 0) || a - b);
    this.more = Math.max(0, alive.length - mostSpaces);
    let y = 0;
    this.shown = alive.slice(0, mostSpaces).map((space) => {
      const windows = spaces.windowsAt(space, state.moment);
      const twice = spaces.seenTwice(windows);
      // An allocation that is no window into a segment is its own bytes.
      const lanes = run.spaces.segment[space] === 1 ? windows.slice(0, mostWindows) : [];
      const touches = this.touchesShown(space);
      const height = mapHeights.head + mapHeights.axis + mapHeights.bytes + 4 + lanes.length * mapHeights.window
        + touches.length * mapHeights.touch + (touches.length ? 6 : 0) + mapHeights.foot;
      const one = { space, windows: lanes, moreWindows: lanes.length > 0 ? windows.length - lanes.length : 0, own: lanes.length === 0 && windows.length > 0 ? windows[0] : -1, twice, touches, y, height };
      y += height;
      return one;
    });
    this.contentHeight = y + 4;
    const first = this.shown[0];
    if (first && this.fitted !== first.space) {
      this.fitted = first.space;
      this.fitTo(first);
    }
  }

  // A lane for each command that is selected or wrong, with the bytes that it touches here.
  touchesShown(space) {
    const { state, spaces } = this.view;
    const lanes = [];
    const add = (command, isFaulty) => {
      if (lanes.some((lane) => lane.command === command)) return;
      const touches = spaces.touchedBy(command).filter((touch) => touch.space === space);
      if (touches.length > 0) lanes.push({ command, touches, isFaulty });
    };
    this.view.faulty().forEach(({ what, item }) => {
      if (what === "command") add(item, true);
    });
    if (state.command >= 0) add(state.command, false);
    if (state.call >= 0) this.view.commandsOfCall(state.call).slice(0, 8).forEach((command) => add(command, false));
    return lanes;
  }

  // Shows all bytes, unless the windows and touches are a small part of them.
  fitTo(one) {
    const { run, spaces } = this.view;
    const { size } = run.spaces;
    let [from, to] = [Infinity, 0];
    for (const memory of spaces.windowsOf.of(one.space)) {
      from = Math.min(from, run.memories.offset[memory]);
      to = Math.max(to, run.memories.offset[memory] + run.memories.size[memory]);
    }
    this.window.setLength(Math.max(size[one.space], to, 1));
    if (to > from && to - from < size[one.space] * 0.25) this.window.show(from, to, 0.15);
  }

  height() {
    this.layOut();
    return Math.max(this.contentHeight, 60);
  }

  describe(target) {
    const { names, run } = this.view;
    if (target.what === "command") return [names.commandInFull(target.item), names.whole(run.commands.name, target.item), ...target.lines].filter(Boolean);
    if (target.what === "text") return [target.text];
    if (target.what === "memory")
      return [names.window(target.item), names.whole(run.memories.name, target.item), `${names.text(run.memories.kind, target.item)}, ${bytesText(run.memories.size[target.item])} at ${names.address(target.item)}`, this.freedText(target.item),
        names.site(run.memories, target.item)].filter(Boolean);
    if (target.what === "twice") return [`${rangeText(target.piece.from, target.piece.to)} is seen through ${target.piece.windows} windows`];
    return [];
  }

  onClick(x, y) {
    const target = this.at(x, y);
    if (!target) return;
    if (target.what === "command") this.view.select({ command: target.item });
    else if (target.what === "memory") this.view.select({ memory: target.item });
    else if (target.what === "twice") this.view.select({ bytes: { space: target.space, from: target.piece.from, to: target.piece.to } });
    else if (target.what === "space") {
      const bytes = this.pieceAt(target.space, this.window.positionAt(x));
      if (bytes) this.view.select({ bytes });
    }
  }

  // The piece between two neighbouring boundaries.
  pieceAt(space, offset) {
    const edges = this.view.spaces.boundaries(space, this.view.state.moment);
    const next = edges.findIndex((edge) => edge > offset);
    return next > 0 ? { space, from: edges[next - 1], to: edges[next] } : null;
  }

  spaceAt(y) {
    return this.shown.find((one) => y + this.box.scrollTop >= one.y && y + this.box.scrollTop < one.y + one.height);
  }

  // Dragging selects bytes.
  onDrag(event, press) {
    const one = this.spaceAt(press.y);
    if (!one) return;
    const inside = (x) => Math.min(Math.max(this.window.positionAt(x), 0), this.view.run.spaces.size[one.space]);
    const [from, to] = [inside(press.x), inside(event.offsetX)].sort((a, b) => a - b).map(Math.round);
    if (to > from) this.view.select({ bytes: { space: one.space, from, to } }, { keepsLayout: true });
  }

  onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.shiftKey && /^Arrow(Left|Right)$/.test(event.key) && this.view.state.bytes) this.extend(event.key === "ArrowRight" ? 1 : -1);
    else if (this.zoomKey(event)) return event.preventDefault();
    else if (event.key === "ArrowLeft" || event.key === "ArrowRight") this.step(event.key === "ArrowRight" ? 1 : -1);
    else if (event.key === "ArrowUp" || event.key === "ArrowDown") this.nextSpace(event.key === "ArrowDown" ? 1 : -1);
    else return undefined;
    return event.preventDefault();
  }

  // To the next piece of the space.
  step(by) {
    const { state, spaces } = this.view;
    const space = state.bytes ? state.bytes.space : this.shown.length > 0 ? this.shown[0].space : -1;
    if (space < 0) return;
    const edges = spaces.boundaries(space, state.moment);
    let at = state.bytes ? edges.findIndex((edge) => edge >= (by > 0 ? state.bytes.to : state.bytes.from)) : by > 0 ? 0 : edges.length - 1;
    if (by < 0) at -= 1;
    at = Math.min(Math.max(at, 0), edges.length - 2);
    this.view.select({ bytes: { space, from: edges[at], to: edges[at + 1] } }, { keepsLayout: true });
  }

  extend(by) {
    const { state, spaces } = this.view;
    const { space, from, to } = state.bytes;
    const edges = spaces.boundaries(space, state.moment);
    const bytes = by > 0 ? { space, from, to: edges.find((edge) => edge > to) || to }
      : { space, from, to: [...edges].reverse().find((edge) => edge < to && edge > from) || to };
    this.view.select({ bytes }, { keepsLayout: true });
  }

  nextSpace(by) {
    const { state } = this.view;
    const order = [...this.shown].map((one) => one.space).sort((a, b) => a - b);
    const at = state.bytes ? order.indexOf(state.bytes.space) : -1;
    const space = order[Math.min(Math.max(at + by, 0), order.length - 1)];
    if (space !== undefined) this.view.select({ bytes: { space, from: 0, to: this.view.run.spaces.size[space] } });
  }
}
