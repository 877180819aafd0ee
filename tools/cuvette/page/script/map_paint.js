// How the address map is drawn.

Object.assign(AddressMap.prototype, {
  paint(painter, width, height, top) {
    const { window: shown } = this;
    shown.left = width < 520 ? 84 : 148;
    shown.width = Math.max(width - shown.left - 12, 10);
    if (this.shown.length === 0) {
      painter.font(13, 400);
      painter.text("No device memory exists at this moment.", 12, 28, painter.theme.muted);
      return;
    }
    for (const one of this.shown) {
      const y = one.y - top;
      if (y > height || y + one.height < 0) continue;
      this.paintSpace(painter, one, y, width);
    }
  },

  // The first space is shown as far as the window goes; the others whole.
  scale(one) {
    const { window: shown } = this;
    if (one === this.shown[0]) return (offset) => shown.x(offset);
    const size = Math.max(this.view.run.spaces.size[one.space], 1);
    return (offset) => shown.left + ((offset / size + 0.015) / 1.03) * shown.width;
  },

  paintSpace(painter, one, top, width) {
    const { theme, context } = painter;
    const { window: shown } = this;
    const { run, state } = this.view;
    const x = this.scale(one);
    const size = run.spaces.size[one.space];
    if (one !== this.shown[0]) painter.box(12, top, width - 24, 1, { fill: theme.line });
    this.paintHead(painter, one, top, width);
    this.hit(shown.left, top + mapHeights.head, shown.width, one.height - mapHeights.head, { what: "space", space: one.space });
    let y = top + mapHeights.head;
    this.paintOffsets(painter, one, x, y);
    y += mapHeights.axis;
    context.save();
    context.beginPath();
    context.rect(shown.left - 1, top, width - shown.left, one.height);
    context.clip();
    painter.box(x(0), y, Math.max(x(size) - x(0), 1), mapHeights.bytes, { fill: theme.soft, line: theme["bar-line"], radius: 3,
      dashed: one.own >= 0 && this.view.spaces.isToBeFreed(one.own, state.moment) });
    for (const piece of one.twice) this.paintTwice(painter, one, piece, x, y);
    if (state.bytes && state.bytes.space === one.space) {
      const [x0, x1] = [x(state.bytes.from), x(state.bytes.to)];
      painter.box(x0, y - 2, Math.max(x1 - x0, 2), one.height - mapHeights.head - mapHeights.axis - mapHeights.foot + 4,
        { line: theme.accent, thick: 2, radius: 3 });
    }
    context.restore();
    painter.font(11, 400);
    painter.text(painter.fitting("bytes", shown.left - 20), 12, y + mapHeights.bytes / 2, theme.muted);
    if (one.own >= 0) {
      painter.text(painter.fitting(this.windowText(one.own), shown.width - 12), Math.max(x(0), shown.left) + 6, y + mapHeights.bytes / 2 + 0.5, theme["bar-ink"], "left", theme.soft);
      this.hit(Math.max(x(0), shown.left), y, x(size) - x(0), mapHeights.bytes, { what: "memory", item: one.own });
    }
    y += mapHeights.bytes + 4;
    for (const memory of one.windows) {
      this.paintWindow(painter, memory, x, y);
      y += mapHeights.window;
    }
    if (one.touches.length > 0) y += 6;
    for (const lane of one.touches) {
      this.paintTouches(painter, lane, x, y);
      y += mapHeights.touch;
    }
    if (one.moreWindows > 0) {
      painter.font(11, 400);
      painter.text(`and ${countText(one.moreWindows, "more window")}`, shown.left, y + 6, theme.muted);
    }
  },

  paintHead(painter, one, top, width) {
    const { theme } = painter;
    const { run, names } = this.view;
    painter.font(13, 600);
    const name = names.space(one.space);
    const title = painter.fitting(name, width / 2);
    if (title !== name) this.hit(12, top + 6, width / 2, 22, { what: "text", text: names.text(run.spaces.name, one.space) });
    painter.text(title, 12, top + 17, theme.ink);
    const used = painter.width(title) + 10;
    const facts = [bytesText(run.spaces.size[one.space])];
    const origin = names.text(run.spaces.origin, one.space);
    if (run.spaces.segment[one.space] === 1) {
      if (origin) facts.push(origin);
      facts.push(countText(one.windows.length + one.moreWindows, "window"));
    }
    const shared = one.twice.reduce((sum, piece) => sum + piece.to - piece.from, 0);
    painter.font(12, 400);
    const text = painter.fitting(facts.join(" · "), width - used - 24);
    painter.text(text, 12 + used, top + 17, theme.muted);
    const end = 12 + used + painter.width(text);
    if (shared > 0) {
      const words = `${bytesText(shared)} seen twice`;
      painter.font(11, 600);
      const half = painter.width(words) / 2 + 6;
      if (end + 12 + 2 * half < width) painter.label(words, end + 12 + half, top + 17, theme.twice, theme.panel);
    }
  },

  paintOffsets(painter, one, x, y) {
    const { theme } = painter;
    const { window: shown } = this;
    const size = this.view.run.spaces.size[one.space];
    const isFirst = one === this.shown[0];
    const [from, to] = isFirst ? [Math.max(0, shown.from), Math.min(size, shown.to)] : [0, size];
    const step = powerStep((to - from) / Math.max(2, shown.width / 90));
    painter.font(11, 400);
    let free = -Infinity;
    for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
      const text = offsetText(at);
      const isLast = x(at) + painter.width(text) / 2 > shown.left + shown.width + 10;
      const left = isLast ? x(at) - painter.width(text) : at === 0 ? x(at) : x(at) - painter.width(text) / 2;
      painter.box(x(at), y + mapHeights.axis - 4, 1, 4, { fill: theme.muted });
      if (left > free) painter.text(text, left, y + 7, theme.muted);
      free = Math.max(free, left + painter.width(text) + 8);
    }
  },

  paintTwice(painter, one, piece, x, y) {
    const { theme } = painter;
    const x0 = Math.max(x(piece.from), this.window.left - 2);
    const x1 = Math.min(x(piece.to), this.window.left + this.window.width + 12);
    if (x1 <= x0) return;
    const height = mapHeights.bytes + 4 + one.windows.length * mapHeights.window - 3;
    painter.box(x0, y, Math.max(x1 - x0, 1), mapHeights.bytes, { line: theme.twice, thick: 1.5 });
    painter.hatch(x0, y, Math.max(x1 - x0, 1), mapHeights.bytes, theme.twice, 7);
    const { context } = painter;
    context.fillStyle = theme.twice;
    context.globalAlpha = 0.55;
    for (const at of [x0, x1]) context.fillRect(Math.round(at), y + mapHeights.bytes, 1, height - mapHeights.bytes);
    context.globalAlpha = 1;
    painter.font(11, 600);
    const words = "same bytes twice";
    if (x1 - x0 > painter.width(words) + 20) painter.label(words, (x0 + x1) / 2, y + mapHeights.bytes / 2, theme.twice, theme.panel);
    this.hit(x0, y, x1 - x0, mapHeights.bytes, { what: "twice", space: one.space, piece });
  },

  windowText(memory) {
    const { names, run } = this.view;
    const site = placeOf(names.site(run.memories, memory));
    return [names.address(memory), bytesText(run.memories.size[memory]), this.freedText(memory), site].filter(Boolean).join("  ·  ");
  },

  // Memory that is freed in the order of a stream: between the call and its command.
  freedText(memory) {
    const { spaces, state, names } = this.view;
    return spaces.isToBeFreed(memory, state.moment) ? `will be freed by ${names.number(spaces.frees.get(memory))}` : "";
  },

  // A window: the addresses through which some of the bytes are reached.
  paintWindow(painter, memory, x, y) {
    const { theme, context } = painter;
    const { window: shown } = this;
    const { run, names, state } = this.view;
    const { offset, size } = run.memories;
    painter.font(12, 400);
    painter.text(painter.fitting(names.window(memory), shown.left - 20), 12, y + mapHeights.window / 2 - 1, theme.ink);
    this.hit(0, y, shown.left - 4, mapHeights.window, { what: "memory", item: memory });
    context.save();
    context.beginPath();
    context.rect(shown.left - 1, y, shown.width + 14, mapHeights.window);
    context.clip();
    const [x0, x1] = [x(offset[memory]), x(offset[memory] + size[memory])];
    const isSelected = state.memory === memory;
    painter.box(x0, y + 2, Math.max(x1 - x0, 2), mapHeights.window - 6, { fill: isSelected ? theme["accent-soft"] : theme.bar,
      line: isSelected ? theme.accent : theme["bar-line"], thick: isSelected ? 2 : 1, radius: 3,
      dashed: this.view.spaces.isToBeFreed(memory, state.moment) });
    painter.font(11, 400);
    const left = Math.max(x0, shown.left);
    const room = Math.min(x1, shown.left + shown.width) - left - 12;
    const words = this.windowText(memory);
    const shorter = [names.address(memory), bytesText(size[memory]), this.freedText(memory)].filter(Boolean).join("  ·  ");
    const text = painter.width(words) <= room ? words : painter.fitting(shorter, room);
    painter.text(text, left + 6, y + mapHeights.window / 2 - 0.5, theme["bar-ink"], "left", isSelected ? theme["accent-soft"] : theme.bar);
    context.restore();
    this.hit(Math.max(x0, shown.left), y, Math.max(x1 - x0, 2), mapHeights.window, { what: "memory", item: memory });
  },

  // The bytes that a command reads (hollow) or writes (full).
  paintTouches(painter, { command, touches, isFaulty }, x, y) {
    const { theme, context } = painter;
    const { window: shown } = this;
    const { names } = this.view;
    const colour = isFaulty ? theme.fault : theme.accent;
    const ground = isFaulty ? theme["fault-soft"] : theme["accent-soft"];
    painter.font(12, 500);
    painter.text(painter.fitting(names.commandBriefly(command), shown.left - 20), 12, y + mapHeights.touch / 2, colour);
    this.hit(0, y, shown.left - 4, mapHeights.touch, { what: "command", item: command, lines: touches.slice(0, 4).map((touch) => names.touch(touch)) });
    context.save();
    context.beginPath();
    context.rect(shown.left - 1, y, shown.width + 14, mapHeights.touch);
    context.clip();
    for (const touch of touches.slice(0, 2000)) {
      const [x0, x1] = [x(touch.from), x(touch.to)];
      const width = Math.max(x1 - x0, 3);
      painter.box(x0, y + 2, width, mapHeights.touch - 4, { fill: touch.writes ? ground : null, line: colour, thick: 1.5, radius: 3, dashed: !touch.writes });
      painter.font(11, 600);
      const left = Math.max(x0, shown.left);
      painter.text(painter.fitting(`${accessText(touch.reads, touch.writes)} ${bytesText(touch.to - touch.from)}`, Math.min(x1, shown.left + shown.width) - left - 10), left + 6, y + mapHeights.touch / 2 + 0.5, colour, "left", touch.writes ? ground : theme.panel);
      this.hit(left, y, width, mapHeights.touch, { what: "command", item: command, lines: [names.touch(touch)] });
    }
    context.restore();
  },
});

// A power of two that is at least `least`.
function powerStep(least) {
  return 2 ** Math.max(0, Math.ceil(Math.log2(Math.max(least, 1))));
}
