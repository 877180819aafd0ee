// Which bytes are the same. A space is a segment of memory, or an allocation that is no window into
// one: each byte has one offset in one space.

class Spaces {
  constructor(view) {
    this.view = view;
    this.windowsOf = grouped(view.memories.space, view.spaces.rows);
    this.touchesOf = grouped(view.touches.space, view.spaces.rows);
    this.touchesBy = grouped(view.touches.command, view.commands.rows);
    this.frees = this.commandsThatFree();
  }

  // Memory of pools is freed in the order of a stream: memory -> the command that frees it.
  commandsThatFree() {
    const { commands, touches, texts } = this.view;
    const free = texts.indexOf("free");
    const frees = new Map();
    if (free < 0) return frees;
    for (let command = 0; command < commands.rows; command += 1) {
      if (commands.kind[command] !== free) continue;
      for (const touch of this.touchesBy.of(command)) if (touches.memory[touch] >= 0) frees.set(touches.memory[touch], command);
    }
    return frees;
  }

  // Whether the call that frees a memory was made before a moment, and its command has not run.
  isToBeFreed(memory, moment) {
    const command = this.frees.get(memory);
    return command !== undefined && this.view.commands.submitted[command] <= moment && this.isAlive(memory, moment);
  }

  isAlive(memory, moment) {
    const { began, ended } = this.view.memories;
    return began[memory] <= moment && !(ended[memory] <= moment);
  }

  // The windows into a space at a moment, by their beginning.
  windowsAt(space, moment) {
    const { offset, began } = this.view.memories;
    return [...this.windowsOf.of(space)]
      .filter((memory) => this.isAlive(memory, moment))
      .sort((a, b) => offset[a] - offset[b] || began[a] - began[b]);
  }

  // The pieces [from, to) that several of the windows show, with their number.
  seenTwice(windows) {
    const { offset, size } = this.view.memories;
    const edges = [];
    for (const memory of windows)
      if (size[memory] > 0) edges.push([offset[memory], 1], [offset[memory] + size[memory], -1]);
    edges.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const pieces = [];
    let count = 0;
    edges.forEach(([at, change], i) => {
      const before = count;
      count += change;
      const last = pieces[pieces.length - 1];
      if (before >= 2 && at > last.from) last.to = at;
      if (before >= 2 && last.to === last.from) pieces.pop();
      if (count >= 2 && (i + 1 === edges.length || edges[i + 1][0] > at || before < 2))
        pieces.push({ from: at, to: at, windows: count });
    });
    return pieces.filter((piece) => piece.to > piece.from);
  }

  // Whether two windows into the space have ever shared bytes at one time.
  sharesBytes(space) {
    const { offset, size, began, ended } = this.view.memories;
    const windows = [...this.windowsOf.of(space)].sort((a, b) => offset[a] - offset[b]);
    if (windows.length > 2000) return true;
    for (let i = 0; i < windows.length; i += 1)
      for (let j = i + 1; j < windows.length; j += 1) {
        const [a, b] = [windows[i], windows[j]];
        if (offset[b] >= offset[a] + size[a]) break;
        if (size[b] > 0 && !(ended[a] <= began[b]) && !(ended[b] <= began[a])) return true;
      }
    return false;
  }

  // What a command touches: {space, from, to, reads, writes}; unknown memory has space -1.
  touchedBy(command) {
    const { space, offset, size, writes } = this.view.touches;
    const found = new Map();
    for (const touch of this.touchesBy.of(command)) {
      const key = `${space[touch]} ${offset[touch]} ${size[touch]}`;
      if (!found.has(key))
        found.set(key, { space: space[touch], from: offset[touch], to: offset[touch] + size[touch], reads: false, writes: false });
      found.get(key)[writes[touch] === 1 ? "writes" : "reads"] = true;
    }
    return [...found.values()];
  }

  // The commands that touched bytes of a space, in the order in which they began: {command, reads,
  // writes, from, to}. At most `most` of them; `more` tells how many there are besides.
  touching(bytes, most) {
    const { command, offset, size, writes } = this.view.touches;
    const { began, submitted } = this.view.commands;
    const found = new Map();
    for (const touch of this.touchesOf.of(bytes.space)) {
      const from = Math.max(offset[touch], bytes.from);
      const to = Math.min(offset[touch] + size[touch], bytes.to);
      if (from >= to || command[touch] < 0) continue;
      const known = found.get(command[touch]);
      const row = known || { command: command[touch], reads: false, writes: false, from, to };
      if (writes[touch] === 1) row.writes = true;
      else row.reads = true;
      row.from = Math.min(row.from, from);
      row.to = Math.max(row.to, to);
      if (!known) found.set(row.command, row);
    }
    const moment = (row) => (Number.isNaN(began[row.command]) ? submitted[row.command] : began[row.command]);
    const rows = [...found.values()].sort((a, b) => moment(a) - moment(b) || a.command - b.command);
    return { rows: rows.slice(0, most), more: Math.max(0, rows.length - most) };
  }

  // Offsets in a space where something begins or ends, for keys that go from piece to piece.
  boundaries(space, moment) {
    const { offset, size } = this.view.memories;
    const set = new Set([0, this.view.spaces.size[space]]);
    for (const memory of this.windowsAt(space, moment)) set.add(offset[memory]).add(offset[memory] + size[memory]);
    for (const touch of this.touchesOf.of(space)) {
      set.add(this.view.touches.offset[touch]).add(this.view.touches.offset[touch] + this.view.touches.size[touch]);
      if (set.size > 4000) break;
    }
    return [...set].sort((a, b) => a - b);
  }

  // The bytes that two commands both touch, one of them writing; the largest piece.
  meeting(first, second) {
    let best = null;
    for (const a of this.touchedBy(first))
      for (const b of this.touchedBy(second)) {
        if (a.space < 0 || a.space !== b.space || !(a.writes || b.writes)) continue;
        const from = Math.max(a.from, b.from);
        const to = Math.min(a.to, b.to);
        if (from < to && (best === null || to - from > best.to - best.from)) best = { space: a.space, from, to };
      }
    return best;
  }
}
