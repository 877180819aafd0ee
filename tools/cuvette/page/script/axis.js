// Where moments are drawn. By time, a position is a nanosecond; by order, each beginning and each
// end has its own room, so that short work can be read beside long waits.

const mostInOrder = 100000;       // events; sorting more would take seconds
const orderAtFirst = 20000;       // pages with fewer events begin by order
const roomOf = { commandBegin: 0.6, commandEnd: 8, launchEnd: 1, callBegin: 0.3, callEnd: 0.7, insideBegin: 0.1, insideEnd: 0.3 };

// Positions by order: {commandStart, commandEnd, callStart, callEnd, times, places}, where
// places[i] is the position of the moment times[i].
function barsInOrder(view, order) {
  if (view.barsInOrder) return view.barsInOrder;
  const time = barsInTime(view, order);
  const { commands, calls } = view;
  const total = 2 * (commands.rows + calls.rows);
  const whenOf = new Float64Array(total);
  const rankOf = new Float64Array(total);  // at one moment: ends, then what has no length, then beginnings
  const roomBefore = new Float64Array(total);
  const innerUntil = new Map();  // thread -> the end of the outermost call
  const add = (slot, start, end, beginRoom, endRoom) => {
    const isEmpty = end <= start;
    whenOf[slot] = start;
    whenOf[slot + 1] = Math.max(start, end);
    rankOf[slot] = isEmpty ? 1 + slot / total : 2 + slot / total;
    rankOf[slot + 1] = isEmpty ? 1 + (slot + 1) / total : 1 - (slot + 1) / total;
    roomBefore[slot] = beginRoom;
    roomBefore[slot + 1] = endRoom;
  };
  for (let command = 0; command < commands.rows; command += 1)
    add(2 * command, time.commandStart[command], time.commandEnd[command], roomOf.commandBegin,
      order.stepsOf.of(command).length > 0 ? roomOf.launchEnd : roomOf.commandEnd);
  for (let call = 0; call < calls.rows; call += 1) {
    const until = innerUntil.get(calls.thread[call]) || -1;
    const isInside = time.callStart[call] < until;
    if (!isInside) innerUntil.set(calls.thread[call], time.callEnd[call]);
    add(2 * (commands.rows + call), time.callStart[call], time.callEnd[call],
      isInside ? roomOf.insideBegin : roomOf.callBegin, isInside ? roomOf.insideEnd : roomOf.callEnd);
  }
  const sorted = new Uint32Array(total).map((_, i) => i);
  sorted.sort((a, b) => whenOf[a] - whenOf[b] || rankOf[a] - rankOf[b]);
  const positionOf = new Float64Array(total);
  const times = new Float64Array(total);
  const places = new Float64Array(total);
  let at = 0;
  sorted.forEach((slot, i) => {
    at += roomBefore[slot];
    positionOf[slot] = at;
    times[i] = whenOf[slot];
    places[i] = at;
  });
  const pick = (from, count, offset) => new Float64Array(count).map((_, i) => positionOf[2 * (from + i) + offset]);
  view.barsInOrder = {
    commandStart: pick(0, commands.rows, 0),
    commandEnd: pick(0, commands.rows, 1),
    callStart: pick(commands.rows, calls.rows, 0),
    callEnd: pick(commands.rows, calls.rows, 1),
    times,
    places,
    length: at,
  };
  return view.barsInOrder;
}

// The part of a line that is shown, from `from` to `to`, on `width` pixels after `left`.
class Window {
  constructor(length) {
    this.left = 0;
    this.width = 1;
    this.setLength(length);
  }

  setLength(length) {
    this.length = Math.max(length, 1e-9);
    this.fit();
  }

  fit() {
    const margin = this.length * 0.015;
    this.from = -margin;
    this.to = this.length + margin;
  }

  x(position) {
    return this.left + ((position - this.from) / (this.to - this.from)) * this.width;
  }

  positionAt(x) {
    return this.from + ((x - this.left) / this.width) * (this.to - this.from);
  }

  // Makes what is shown `factor` times as long; the position at `x` stays where it is.
  zoom(factor, x) {
    const least = Math.max(this.length * 1e-9, 1e-6);
    const most = this.length * 1.03;
    const middle = this.positionAt(x);
    const size = Math.min(most, Math.max(least, (this.to - this.from) * factor));
    const share = (x - this.left) / this.width;
    this.from = middle - size * share;
    this.to = this.from + size;
    this.stayInside();
  }

  // Moves by a share of what is shown.
  pan(share) {
    const by = (this.to - this.from) * share;
    this.from += by;
    this.to += by;
    this.stayInside();
  }

  stayInside() {
    const size = this.to - this.from;
    const margin = Math.max(this.length * 0.015, size * 0.2);
    if (this.from < -margin) [this.from, this.to] = [-margin, size - margin];
    if (this.to > this.length + margin) [this.from, this.to] = [this.length + margin - size, this.length + margin];
    if (this.from < -margin) this.from = -margin;
  }

  // Shows the positions from `from` to `to`, with room beside them.
  show(from, to, room) {
    const size = Math.max(to - from, this.length * 1e-9);
    this.from = from - size * room;
    this.to = to + size * room;
    this.stayInside();
  }

  // Moves as little as makes a position visible.
  reveal(position) {
    const size = this.to - this.from;
    if (position < this.from + size * 0.04) this.from = position - size * 0.15;
    else if (position > this.to - size * 0.04) this.from = position - size * 0.85;
    this.to = this.from + size;
    this.stayInside();
  }
}

class TimeAxis extends Window {
  constructor(view, order) {
    super(1);
    this.view = view;
    this.order = order;
    const events = view.commands.rows + view.calls.rows;
    this.canBeInOrder = events <= mostInOrder;
    this.setMode(events <= orderAtFirst ? "order" : "time");
  }

  setMode(mode) {
    this.mode = mode === "order" && this.canBeInOrder ? "order" : "time";
    this.bars = this.mode === "order" ? barsInOrder(this.view, this.order) : barsInTime(this.view, this.order);
    this.setLength(this.mode === "order" ? this.bars.length : this.view.end);
  }

  // The position of a moment in nanoseconds.
  positionOf(time) {
    if (this.mode === "time") return time;
    const { times, places } = this.bars;
    const i = lowerBound(times.length, (k) => times[k], time);
    if (i === times.length) return this.bars.length;
    if (times[i] === time || i === 0) return places[i];
    const share = (time - times[i - 1]) / (times[i] - times[i - 1]);
    return places[i - 1] + share * (places[i] - places[i - 1]);
  }

  momentAt(position) {
    if (this.mode === "time") return Math.min(Math.max(position, 0), this.view.end);
    const { times, places } = this.bars;
    const i = lowerBound(places.length, (k) => places[k], position);
    if (i === places.length) return this.view.end;
    if (i === 0) return times[0] || 0;
    const share = (position - places[i - 1]) / (places[i] - places[i - 1]);
    return times[i - 1] + share * (times[i] - times[i - 1]);
  }

  // The positions of a bar, {from, to}.
  bar(what, item) {
    const { commandStart, commandEnd, callStart, callEnd } = this.bars;
    if (what === "command") return { from: commandStart[item], to: commandEnd[item] };
    return { from: callStart[item], to: callEnd[item] };
  }
}
