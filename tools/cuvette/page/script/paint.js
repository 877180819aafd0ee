// Drawing on a canvas: colours of the theme, texts that fit, hatching, arrows, small shapes.

const uiFont = "Inter, system-ui, 'Segoe UI', sans-serif";

// The colours are those of page.css, so that a theme is written once.
function readTheme(element) {
  const style = getComputedStyle(element);
  const theme = {};
  for (const name of ["paper", "panel", "ink", "muted", "faint", "line", "bar", "bar-line", "bar-ink", "call-line", "soft", "accent",
    "accent-soft", "fault", "fault-soft", "twice"])
    theme[name] = style.getPropertyValue(`--${name}`).trim();
  return theme;
}

class Painter {
  constructor(context, theme) {
    this.context = context;
    this.theme = theme;
    this.widths = new Map();
  }

  font(size, weight) {
    this.context.font = `${weight || 400} ${size}px ${uiFont}`;
  }

  width(text) {
    const key = this.context.font + text;
    let width = this.widths.get(key);
    if (width === undefined) {
      width = this.context.measureText(text).width;
      if (this.widths.size > 20000) this.widths.clear();
      this.widths.set(key, width);
    }
    return width;
  }

  // The text, or its beginning with "…", or nothing if not even three letters fit.
  fitting(text, room) {
    if (room < 12) return "";
    const short = text.length > 200 ? text.slice(0, 200) : text;
    if (this.width(short) <= room) return short;
    let low = 0;
    let high = short.length;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.context.measureText(`${short.slice(0, middle)}…`).width <= room) low = middle;
      else high = middle - 1;
    }
    return low < 2 ? "" : `${short.slice(0, low).trimEnd()}…`;
  }

  // `rim`: a colour around the letters, which keeps them readable over lines; null: none.
  text(text, x, y, colour, align, rim) {
    const { context } = this;
    context.textAlign = align || "left";
    context.textBaseline = "middle";
    if (rim) {
      context.strokeStyle = rim;
      context.lineWidth = 4;
      context.lineJoin = "round";
      context.strokeText(text, x, y);
    }
    context.fillStyle = colour;
    context.fillText(text, x, y);
  }

  // A text on a ground of its own, in the middle of (x, y).
  label(text, x, y, colour, ground) {
    const { context } = this;
    const width = this.width(text) + 12;
    this.box(x - width / 2, y - 9, width, 18, { fill: ground, line: colour, radius: 9 });
    this.text(text, x, y + 0.5, colour, "center");
    context.textAlign = "left";
  }

  box(x, y, width, height, { fill, line, radius, dashed, thick }) {
    const { context } = this;
    const inset = line ? (thick || 1) / 2 : 0;
    context.beginPath();
    context.roundRect(x + inset, y + inset, Math.max(width - 2 * inset, 0.5), Math.max(height - 2 * inset, 0.5),
      Math.min(radius || 0, width / 2, height / 2));
    if (fill) {
      context.fillStyle = fill;
      context.fill();
    }
    if (line) {
      context.strokeStyle = line;
      context.lineWidth = thick || 1;
      context.setLineDash(dashed ? [4, 3] : []);
      context.stroke();
      context.setLineDash([]);
    }
  }

  // Diagonal lines over a rectangle.
  hatch(x, y, width, height, colour, step) {
    const { context } = this;
    context.save();
    context.beginPath();
    context.rect(x, y, width, height);
    context.clip();
    context.strokeStyle = colour;
    context.lineWidth = 1.25;
    context.beginPath();
    // The lines continue from one rectangle to its neighbour.
    const first = Math.floor((x - height) / step) * step;
    for (let at = first; at < x + width; at += step) {
      context.moveTo(at, y + height);
      context.lineTo(at + height, y);
    }
    context.stroke();
    context.restore();
  }

  // An arrow from (x0, y0) to (x1, y1) that leaves and arrives sideways.
  arrow(x0, y0, x1, y1, { colour, thick, dashed, isCrossed }) {
    const { context } = this;
    const bend = Math.max(18, Math.min(60, Math.abs(x1 - x0) / 2));
    const isForward = x1 > x0 + 4;
    // Between two bars of one row, it passes below what stands there.
    const sag = isForward && Math.abs(y1 - y0) < 2 ? Math.min(20, (x1 - x0) / 3) : 0;
    const [ax, ay, bx, by] = isForward ? [x0 + bend, y0 + sag, x1 - bend, y1 + sag] : [x0, y0 + (y1 - y0) * 0.4, x1, y1 - (y1 - y0) * 0.4];
    context.strokeStyle = colour;
    context.lineWidth = thick;
    context.setLineDash(dashed ? [6, 4] : []);
    context.beginPath();
    context.moveTo(x0, y0);
    context.bezierCurveTo(ax, ay, bx, by, x1, y1);
    context.stroke();
    context.setLineDash([]);
    const angle = isForward && sag === 0 ? 0 : Math.atan2(y1 - by, x1 - bx || 0.01);
    this.head(x1, y1, angle, 4 + thick * 1.5, colour);
    const middle = { x: (x0 + 3 * ax + 3 * bx + x1) / 8, y: (y0 + 3 * ay + 3 * by + y1) / 8 };
    if (isCrossed) this.cross(middle.x, middle.y, 6, colour, this.theme.panel);
    return middle;
  }

  head(x, y, angle, size, colour) {
    const { context } = this;
    context.save();
    context.translate(x, y);
    context.rotate(angle);
    context.fillStyle = colour;
    context.beginPath();
    context.moveTo(0, 0);
    context.lineTo(-size, -size * 0.55);
    context.lineTo(-size, size * 0.55);
    context.closePath();
    context.fill();
    context.restore();
  }

  // A cross in a disc: what is missing or wrong.
  cross(x, y, size, colour, ground) {
    const { context } = this;
    context.fillStyle = ground;
    context.strokeStyle = colour;
    context.lineWidth = 1.75;
    context.beginPath();
    context.arc(x, y, size + 2, 0, 2 * Math.PI);
    context.fill();
    context.stroke();
    context.beginPath();
    const arm = size * 0.5;
    context.moveTo(x - arm, y - arm);
    context.lineTo(x + arm, y + arm);
    context.moveTo(x - arm, y + arm);
    context.lineTo(x + arm, y - arm);
    context.stroke();
  }

  // The small shape of a kind of command, in a square of 10 pixels.
  shape(kind, x, y, colour) {
    const { context } = this;
    context.fillStyle = colour;
    context.strokeStyle = colour;
    context.lineWidth = 1.5;
    context.beginPath();
    if (kind === "kernel") {
      for (const [dx, dy] of [[0, 0], [5.5, 0], [0, 5.5], [5.5, 5.5]]) context.rect(x + dx, y + dy, 4.5, 4.5);
      context.fill();
    } else if (/copy|prefetch/.test(kind)) {
      context.moveTo(x, y + 5);
      context.lineTo(x + 9, y + 5);
      context.moveTo(x + 5.5, y + 1.5);
      context.lineTo(x + 9, y + 5);
      context.lineTo(x + 5.5, y + 8.5);
      context.stroke();
    } else if (/fill/.test(kind)) {
      context.rect(x + 0.5, y + 0.5, 9, 9);
      context.fill();
    } else if (/wait|record|signal|semaphore/.test(kind)) {
      context.moveTo(x + 5, y);
      context.lineTo(x + 10, y + 5);
      context.lineTo(x + 5, y + 10);
      context.lineTo(x, y + 5);
      context.closePath();
      if (/wait/.test(kind)) context.stroke();
      else context.fill();
    } else if (/graph/.test(kind)) {
      context.moveTo(x + 2, y + 5);
      context.lineTo(x + 8, y + 2);
      context.moveTo(x + 2, y + 5);
      context.lineTo(x + 8, y + 8);
      context.stroke();
      context.beginPath();
      for (const [cx, cy] of [[2, 5], [8, 2], [8, 8]]) {
        context.moveTo(x + cx, y + cy);
        context.arc(x + cx, y + cy, 2, 0, 2 * Math.PI);
      }
      context.fill();
    } else {
      context.arc(x + 5, y + 5, 3.5, 0, 2 * Math.PI);
      context.stroke();
    }
  }
}
