// Reads the facts of the page: gzip in base64 (tools/cuvette/page/page_data.hpp writes them).

function bytesOfBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i += 1) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

async function unpacked(text) {
  const stream = new Blob([bytesOfBase64(text)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Reads numbers of seven bits a byte, the lowest first.
class Reader {
  constructor(bytes, at) {
    this.bytes = bytes;
    this.at = at;
  }

  number() {
    const bytes = this.bytes;
    let byte = bytes[this.at];
    this.at += 1;
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    let factor = 128;
    do {
      byte = bytes[this.at];
      this.at += 1;
      value += (byte & 0x7f) * factor;
      factor *= 128;
    } while (byte >= 0x80);
    return value;
  }

  signed() {
    const value = this.number();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  column(kind, rows, table) {
    if (kind === "index") {
      const column = new Int32Array(rows);
      for (let row = 0; row < rows; row += 1) column[row] = this.number() - 1;
      return column;
    }
    if (kind === "address") {
      const column = new BigUint64Array(rows);
      for (let row = 0; row < rows; row += 1)
        column[row] = (BigInt(this.number()) << 32n) | BigInt(this.number());
      return column;
    }
    const column = new Float64Array(rows);
    if (kind === "number") {
      for (let row = 0; row < rows; row += 1) column[row] = this.number();
    } else if (kind === "time") {
      let before = 0;
      for (let row = 0; row < rows; row += 1) {
        before += this.signed();
        column[row] = before;
      }
    } else {
      // "time near OTHER": 0 is a time that did not come.
      const other = table[kind.slice("time near ".length)];
      for (let row = 0; row < rows; row += 1) {
        const value = this.number();
        const near = Number.isNaN(other[row]) ? 0 : other[row];
        const far = value - 1;
        column[row] = value === 0 ? NaN : near + (far % 2 === 0 ? far / 2 : -(far + 1) / 2);
      }
    }
    return column;
  }
}

// Returns {title, views}; each view has its tables as objects of columns, and `texts`.
async function readData(text) {
  const bytes = await unpacked(text);
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const reader = new Reader(bytes, 4 + length);
  for (const view of head.views) {
    view.texts = head.texts;
    for (const described of view.tables) {
      const table = { rows: described.rows };
      for (const [name, kind] of described.columns)
        table[name] = reader.column(kind, described.rows, table);
      view[described.name] = table;
    }
    view.end = lastMoment(view);
  }
  return head;
}

// The last moment that anything in a view has.
function lastMoment(view) {
  let last = 0;
  const look = (time) => {
    if (time > last) last = time;
  };
  for (const process of view.processes) look(process.ended);
  for (const report of view.reports) look(report.time);
  for (const [table, columns] of [
    [view.calls, ["began", "ended"]],
    [view.commands, ["submitted", "began", "ended"]],
    [view.memories, ["began", "ended"]],
  ])
    for (const name of columns) table[name].forEach(look);
  return last;
}

// Lists for each of `count` groups which rows have it, in order: the rows of group g are
// list[start[g]] to list[start[g + 1] - 1].
function grouped(groups, count) {
  const start = new Int32Array(count + 1);
  for (let row = 0; row < groups.length; row += 1) if (groups[row] >= 0) start[groups[row] + 1] += 1;
  for (let group = 0; group < count; group += 1) start[group + 1] += start[group];
  const next = start.slice(0, count);
  const list = new Int32Array(start[count]);
  for (let row = 0; row < groups.length; row += 1) {
    const group = groups[row];
    if (group < 0) continue;
    list[next[group]] = row;
    next[group] += 1;
  }
  return { of: (group) => list.subarray(start[group], start[group + 1]) };
}

// The first position in a sorted list with a value that is at least `value`.
function lowerBound(length, valueAt, value) {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (valueAt(middle) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
