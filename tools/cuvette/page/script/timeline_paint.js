// How the timeline is drawn. A lane gets at most one rectangle per pixel, so that a million bars cost
// no more than a screen of them; what is selected or wrong is drawn on top of that.

const mostFramed = 500;  // launches of a kernel that have a frame
const allEdges = 250;  // edges of a page that are all drawn; of more, only those of what is selected

Object.assign(Timeline.prototype, {
  paint(painter, width, height, top) {
    const { window: shown } = this;
    shown.left = this.gutter(width);
    shown.width = Math.max(width - shown.left - 12, 10);
    this.top = top;
    this.painter_ = painter;
    this.centres = new Map();  // "command 3" -> {x0, x1, y}: where arrows begin and end
    this.labels = new Map();   // "command 3" -> its words, which are drawn over bars, arrows and the cursor
    this.paintGround(painter, width, height);
    const { context } = painter;
    context.save();
    context.beginPath();
    context.rect(shown.left - 1, rowHeights.axis, width - shown.left + 1, height - rowHeights.axis);
    context.clip();
    // Arrows go behind bars.
    this.paintEdges(painter);
    for (const row of this.rows) {
      const y = row.y - top;
      if (!row.lane || y > height || y + row.height < rowHeights.axis) continue;
      this.paintLane(painter, row, y);
    }
    this.paintEmphasis(painter);
    this.paintCursor(painter, height);
    const missing = this.paintMissing(painter);
    for (const label of this.labels.values()) this.paintLabel(painter, label, missing);
    if (missing) this.paintMissingWords(painter, missing);
    context.restore();
    this.paintLabels(painter, width, height, top);
    this.paintAxis(painter, width, height);
    this.paintReports(painter);
  },

  paintGround(painter, width, height) {
    const { theme } = painter;
    for (const row of this.rows) {
      const y = row.y - this.top;
      if (row.title || !row.isLast || y > height || y + row.height < 0) continue;
      painter.box(this.window.left, y + row.height + 1, width - this.window.left, 1, { fill: theme.line });
    }
  },

  // The moment that the map shows.
  paintCursor(painter, height) {
    this.cursor = this.window.x(this.window.positionOf(this.view.state.moment));
    painter.box(Math.round(this.cursor) - 0.5, rowHeights.axis, 1, height, { fill: painter.theme.accent });
  },

  // The words of a bar: {text, x, y, colour, ground, size, weight, align, kind, shapeX}. Where the cursor or
  // an arrow comes through them, they have a rim.
  paintLabel(painter, label, missing) {
    const { text, x, y, colour, ground, kind, shapeX } = label;
    painter.font(label.size, label.weight);
    const width = painter.width(text);
    const left = label.align === "center" ? x - width / 2 : x;
    const isCrossed = (this.cursor > left - 3 && this.cursor < left + width + 3)
      || (missing && missing.left < left + width && missing.right > left && missing.top < y + 9 && missing.bottom > y - 9);
    if (kind) painter.shape(kind, shapeX, y - 5.5, colour);
    painter.text(text, x, y, colour, label.align, isCrossed ? ground : null);
  },

  paintLabels(painter, width, height, top) {
    const { theme } = painter;
    const room = this.window.left - 16;
    for (const row of this.rows) {
      const y = row.y - top;
      if (y > height || y + row.height < rowHeights.axis) continue;
      if (row.title) {
        painter.font(11, 600);
        painter.text(painter.fitting(row.title, width - 24), 12, y + row.height / 2 + 3, theme.muted, "left", theme.panel);
      } else if (row.isFirst) {
        painter.font(13, 500);
        const label = painter.fitting(row.track.label, room);
        painter.text(label, 12, y + row.height / 2, theme.ink);
        this.hit(0, y, this.window.left - 4, row.height, { what: "text", text: row.track.kind === "stream"
          ? this.view.names.streamInFull(row.track.index) : `${row.track.whole || row.track.label} ${row.track.note}` });
        const used = painter.width(label) + 8;
        painter.font(11, 400);
        if (painter.width(row.track.note) <= room - used) painter.text(row.track.note, 12 + used, y + row.height / 2 + 0.5, theme.muted);
      }
    }
  },

  // The moments above, and the cursor.
  paintAxis(painter, width, height) {
    const { theme, context } = painter;
    const { window: shown } = this;
    painter.box(0, 0, width, rowHeights.axis - 1, { fill: theme.panel });
    painter.box(0, rowHeights.axis - 1, width, 1, { fill: theme.line });
    painter.font(11, 400);
    if (shown.mode === "time") {
      const step = roundStep((shown.to - shown.from) / Math.max(2, shown.width / 110));
      for (let at = Math.max(0, Math.ceil(shown.from / step) * step); at <= Math.min(shown.to, shown.length); at += step) {
        const x = shown.x(at);
        painter.box(x, rowHeights.axis - 5, 1, 4, { fill: theme.muted });
        if (x < width - 50) painter.text(timeText(at, Math.max(step, at)), x + 4, rowHeights.axis / 2 - 1, theme.muted);
      }
    } else {
      painter.text("first", shown.left, rowHeights.axis / 2, theme.muted);
      const isFree = this.view.run.reports.every((report) => Math.abs(shown.x(shown.positionOf(report.time)) - width + 24) > 30);
      if (isFree) painter.text("last", width - 12, rowHeights.axis / 2, theme.muted, "right");
      const y = rowHeights.axis / 2 + 0.5;
      painter.box(shown.left + 34, y, Math.max(0, width - 12 - 36 - shown.left - 34), 1, { fill: theme.line });
      painter.head(width - 12 - 34, y + 0.5, 0, 6, theme.faint);
      painter.context.textAlign = "left";
    }
    const x = shown.x(shown.positionOf(this.view.state.moment));
    if (x < shown.left - 1 || x > width) return;
    context.fillStyle = theme.accent;
    context.beginPath();
    context.moveTo(x - 5, rowHeights.axis - 8);
    context.lineTo(x + 5, rowHeights.axis - 8);
    context.lineTo(x, rowHeights.axis);
    context.fill();
  },

  paintLane(painter, row, y) {
    const { what } = row.lane;
    if (what === "life" || what === "mapped") this.paintLives(painter, row, y);
    else this.paintBars(painter, row, y);
  },

  // Bars in their order; behind one narrower than a pixel, all that begin in this pixel are left out.
  paintBars(painter, row, y) {
    const { window: shown } = this;
    const { items, what } = row.lane;
    const starts = what === "command" ? shown.bars.commandStart : shown.bars.callStart;
    const ends = what === "command" ? shown.bars.commandEnd : shown.bars.callEnd;
    const count = items.length;
    const right = shown.left + shown.width + 12;
    let i = lowerBound(count, (k) => ends[items[k]], shown.from);
    while (i < count) {
      const x0 = shown.x(starts[items[i]]);
      if (x0 > right) break;
      const x1 = shown.x(ends[items[i]]);
      if (x1 - x0 >= 2) {
        this.paintBar(painter, what, items[i], x0, x1, y, row.height);
        i += 1;
        continue;
      }
      const pixel = Math.floor(x0);
      painter.context.fillStyle = what === "command" ? painter.theme["bar-line"] : painter.theme.faint;
      painter.context.fillRect(pixel, y + 4, 1, row.height - 8);
      this.hit(pixel, y, 1, row.height, { what, item: items[i] });
      this.centres.set(`${what} ${items[i]}`, { x0: pixel, x1: pixel + 1, y: y + row.height / 2 });
      const next = lowerBound(count, (k) => starts[items[k]], shown.positionAt(pixel + 1));
      i = Math.max(i + 1, next);
    }
  },

  paintBar(painter, what, item, x0, x1, y, height) {
    const { theme } = painter;
    const left = Math.max(x0, this.window.left - 8);
    const right = Math.min(x1, this.window.left + this.window.width + 20);
    const gap = right - left > 6 ? 1 : 0;
    const [bx, bw] = [left, Math.max(right - left - gap, 1)];
    const { commands, calls } = this.view.run;
    if (what === "call") {
      const isOpen = Number.isNaN(calls.ended[item]);
      painter.box(bx, y + 2, bw, height - 4, { fill: theme.bar, radius: 3, line: isOpen ? theme.muted : theme["call-line"], dashed: isOpen });
      this.labelCall(painter, item, bx, y, bw, height, theme["bar-ink"], theme.bar);
    } else {
      const didBegin = !Number.isNaN(commands.began[item]);
      const didEnd = !Number.isNaN(commands.ended[item]);
      const kind = this.view.names.text(commands.kind, item);
      const isWork = !/record|wait|signal|event/.test(kind);
      const fill = didBegin && isWork ? theme.bar : theme.panel;
      painter.box(bx, y + 3, bw, height - 6, { fill, line: theme["bar-line"], radius: 4, dashed: !didEnd });
      this.labelCommand(painter, item, kind, bx, y, bw, height, theme["bar-ink"], fill);
    }
    this.hit(bx, y, bw, height, { what, item });
    this.centres.set(`${what} ${item}`, { x0: bx, x1: bx + bw, y: y + height / 2 });
  },

  labelCommand(painter, item, kind, x, y, width, height, colour, ground) {
    if (width < 18) return;
    const label = { y: y + height / 2 + 0.5, colour, ground, size: 12, weight: 500 };
    painter.font(label.size, label.weight);
    const didNotBegin = Number.isNaN(this.view.run.commands.began[item]) ? " (did not begin)" : "";
    const text = this.view.names.commandBriefly(item) + didNotBegin;
    // Where one of both has room, the word says more than the shape.
    const needed = painter.width(text);
    if (needed > width - 25 && needed <= width - 8)
      this.labels.set(`command ${item}`, { ...label, text, x: x + width / 2, align: "center" });
    else this.labels.set(`command ${item}`, { ...label, text: painter.fitting(text, width - 25), x: x + 21, kind, shapeX: x + 6 });
  },

  labelCall(painter, item, x, y, width, height, colour, ground) {
    painter.font(11, 400);
    const text = painter.fitting(this.view.names.call(item), width - 10);
    if (text) this.labels.set(`call ${item}`, { text, x: x + 5, y: y + height / 2 + 0.5, colour, ground, size: 11, weight: 400 });
  },

  // How long an object lived, and when CUDA had it mapped.
  paintLives(painter, row, y) {
    const { theme } = painter;
    const { window: shown, view } = this;
    const resource = view.run.resources[row.track.index];
    const lives = row.lane.what === "life" ? [[resource.began, resource.ended]] : resource.mapped;
    const text = row.lane.what === "life" ? (resource.kind === "graphics" ? "registered" : "imported") : "mapped by CUDA";
    for (const [began, ended] of lives) {
      const x0 = Math.max(shown.x(shown.positionOf(began)), shown.left - 8);
      const x1 = Math.min(shown.x(shown.positionOf(ended === null ? view.run.end : ended)), shown.left + shown.width + 20);
      if (x1 < shown.left || x0 > shown.left + shown.width + 12) continue;
      const width = Math.max(x1 - x0, 1);
      const isLife = row.lane.what === "life";
      const fill = isLife ? theme.panel : theme["accent-soft"];
      painter.box(x0, y + 2, width, row.height - 4, { fill, line: isLife ? theme.faint : theme.accent, radius: 3, dashed: ended === null });
      painter.font(11, 400);
      this.labels.set(`${row.lane.what} ${row.track.index} ${began}`, { text: painter.fitting(text, width - 12), x: x0 + 6,
        y: y + row.height / 2 + 0.5, colour: isLife ? theme.muted : theme.ink, ground: fill, size: 11, weight: 400 });
      this.hit(x0, y, width, row.height, { what: "text", text: `${resource.name}: ${text}${resource.site ? `, ${resource.site}` : ""}` });
    }
  },

  // The place of a bar, although it may be outside or merged with others.
  placeOf(what, item) {
    const known = this.centres.get(`${what} ${item}`);
    if (known) return known;
    const row = this.rowOf(what, item);
    if (!row) return null;
    const { from, to } = this.window.bar(what, item);
    const x0 = this.window.x(from);
    return { x0, x1: Math.max(this.window.x(to), x0 + 1), y: row.y - this.top + row.height / 2 };
  },

  paintEdges(painter) {
    const { run, order, state } = this.view;
    const paint = (edge, options) => {
      const [a, b] = [this.placeOf("command", run.edges.from[edge]), this.placeOf("command", run.edges.to[edge])];
      if (a && b) painter.arrow(a.x1, a.y, b.x0, b.y, options);
    };
    if (run.edges.rows <= allEdges)
      for (let edge = 0; edge < run.edges.rows; edge += 1) paint(edge, { colour: painter.theme.faint, thick: 1.25 });
    if (state.command < 0) return;
    for (const edge of [...order.edgesInto.of(state.command), ...order.edgesFrom.of(state.command)].slice(0, allEdges))
      paint(edge, { colour: painter.theme.accent, thick: 2 });
  },

  paintEmphasis(painter) {
    const { theme } = painter;
    const { state, run, names } = this.view;
    const frame = (what, item, colour, ground, thick) => {
      const row = this.rowOf(what, item);
      const place = this.placeOf(what, item);
      if (!row || !place) return;
      const y = row.y - this.top + (what === "call" ? 1 : 2);
      const height = row.height - (what === "call" ? 2 : 4);
      const width = Math.max(place.x1 - place.x0, 3);
      painter.box(place.x0, y, width, height, { fill: ground, line: colour, thick, radius: 4,
        dashed: what === "command" && Number.isNaN(run.commands.ended[item]) });
      if (ground && what === "command")
        this.labelCommand(painter, item, names.text(run.commands.kind, item), place.x0, y - 2, width, row.height, theme.ink, ground);
      if (ground && what === "call") this.labelCall(painter, item, place.x0, y - 1, width, row.height, theme.ink, ground);
      this.hit(place.x0, y, width, height, { what, item });
    };
    for (const command of [...state.touchers, ...state.launches.slice(0, mostFramed)]) frame("command", command, theme.accent, null, 1.5);
    if (state.call >= 0)
      for (const command of this.view.commandsOfCall(state.call)) frame("command", command, theme.accent, null, 1.5);
    if (state.command >= 0 && run.commands.call[state.command] >= 0) frame("call", run.commands.call[state.command], theme.accent, null, 1.5);
    this.view.faulty().forEach(({ what, item }) => frame(what, item, theme.fault, theme["fault-soft"], 2));
    if (state.command >= 0) frame("command", state.command, theme.accent, this.view.isFaulty("command", state.command) ? null : theme["accent-soft"], 2.5);
    if (state.call >= 0) frame("call", state.call, theme.accent, theme["accent-soft"], 2);
  },

  // The order that is missing: from the earlier command to the later one. Returns where the arrow is, and its
  // middle; null if there is none.
  paintMissing(painter) {
    const missing = this.view.missing();
    if (!missing) return null;
    const a = this.placeOf(missing.from.what, missing.from.item);
    const b = this.placeOf(missing.to.what, missing.to.item);
    if (!a || !b) return null;
    const side = Math.sign(b.y - a.y) || 1;
    const [left, right] = [Math.max(a.x0, b.x0), Math.min(a.x1, b.x1)];
    const isBehind = b.x0 > a.x1 + 8;
    // Where one is above the other, the arrow goes straight down, or up.
    const [x0, x1] = isBehind ? [a.x1, b.x0] : right > left ? [(left + right) / 2, (left + right) / 2] : [(a.x0 + a.x1) / 2, (b.x0 + b.x1) / 2];
    const [y0, y1] = isBehind ? [a.y, b.y] : [a.y + side * 12, b.y - side * 13];
    const middle = painter.arrow(x0, y0, x1, y1, { colour: painter.theme.fault, thick: 2, dashed: true, isCrossed: true });
    return { a, b, middle, isBehind, left: Math.min(x0, x1), right: Math.max(x0, x1), top: Math.min(y0, y1), bottom: Math.max(y0, y1) };
  },

  paintMissingWords(painter, { a, b, middle, isBehind }) {
    const { words } = this.view.missing();
    painter.font(11, 600);
    const width = painter.width(words) + 12;
    const room = this.window.left + this.window.width;
    // Beside the cross, in the room between two rows, so that no name of a bar is covered; below it where there is none.
    const isBeside = Math.abs(b.y - a.y) >= 36;
    if (!isBeside && !isBehind) return;
    const beside = middle.x + 13 + width > room ? middle.x - 13 - width / 2 : middle.x + 13 + width / 2;
    const [x, y] = isBeside ? [beside, middle.y] : [Math.min(middle.x, room - width / 2), middle.y + 25];
    painter.label(words, x, y, painter.theme.fault, painter.theme.panel);
    this.hit(x - width / 2, y - 9, width, 18, { what: "text", text: words });
  },

  // A mark above for each report, at its moment.
  paintReports(painter) {
    const { reports } = this.view.run;
    let last = -Infinity;
    reports.forEach((report, i) => {
      const x = this.window.x(this.window.positionOf(report.time));
      if (x < this.window.left || x > this.window.left + this.window.width + 12) return;
      const isSelected = this.view.state.report === i;
      if (x - last < 3 && !isSelected) return;
      last = x;
      painter.cross(x, rowHeights.axis / 2, 4.5, painter.theme.fault, isSelected ? painter.theme["fault-soft"] : painter.theme.panel);
      this.hit(x - 7, 2, 14, rowHeights.axis - 4, { what: "report", item: i });
    });
  },
});

// 1, 2 or 5 times a power of ten that is at least `least`.
function roundStep(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1e-9)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least);
}
