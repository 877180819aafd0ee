// A picture that can be zoomed, moved and clicked: a canvas in a box that takes the keyboard's focus.
// Subclasses give `height()` and `paint(painter, width, height, top)`, where `top` is how far the box is scrolled.

class Plot {
  constructor(window_, { label, roleDescription, most }) {
    this.window = window_;
    this.most = most;  // its height in pixels, beyond which it scrolls
    this.hits = [];
    this.canvas = element("canvas", { "aria-hidden": "true" });
    this.space = element("div", { class: "plot-space" }, this.canvas);
    this.status = element("p", { class: "for-readers", "aria-live": "polite" });
    this.box = element("div", { class: "plot-box", tabindex: "0", role: "application", "aria-label": label,
      "aria-roledescription": roleDescription }, this.space);
    this.tip = element("div", { class: "tip", hidden: "" });
    this.element = element("div", { class: "plot" }, this.box, this.status, this.tip);
    this.isAsked = false;
    this.painter = null;
    new ResizeObserver(() => this.draw()).observe(this.box);
    this.box.addEventListener("scroll", () => this.draw());
    this.box.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
    this.canvas.addEventListener("pointerdown", (event) => this.onDown(event));
    this.canvas.addEventListener("pointermove", (event) => this.onMove(event));
    this.canvas.addEventListener("pointerup", (event) => this.onUp(event));
    this.canvas.addEventListener("pointercancel", () => {
      this.press = null;
    });
    this.canvas.addEventListener("pointerleave", () => {
      this.tip.hidden = true;
    });
    this.canvas.addEventListener("dblclick", (event) => {
      this.window.zoom(1 / 3, event.offsetX);
      this.draw();
    });
  }

  // Draws with the next frame, however often it is asked.
  draw() {
    if (this.isAsked) return;
    this.isAsked = true;
    requestAnimationFrame(() => {
      this.isAsked = false;
      this.drawNow();
    });
  }

  drawNow() {
    const width = this.box.clientWidth;
    if (width === 0) return;
    const content = this.height(width);
    const height = Math.min(content, this.most);
    this.box.style.height = `${height}px`;
    this.space.style.height = `${content}px`;
    const ratio = window.devicePixelRatio || 1;
    const [pixelWidth, pixelHeight] = [Math.round(this.box.clientWidth * ratio), Math.round(height * ratio)];
    if (this.canvas.width !== pixelWidth || this.canvas.height !== pixelHeight) {
      this.canvas.width = pixelWidth;
      this.canvas.height = pixelHeight;
      this.canvas.style.width = `${this.box.clientWidth}px`;
      this.canvas.style.height = `${height}px`;
    }
    const context = this.canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    if (!this.painter) this.painter = new Painter(context, readTheme(this.box));
    this.hits = [];
    this.paint(this.painter, this.box.clientWidth, height, this.box.scrollTop);
  }

  // The theme has changed.
  forgetTheme() {
    this.painter = null;
    this.draw();
  }

  hit(x, y, width, height, target) {
    this.hits.push({ x, y, width, height, target });
  }

  // What is drawn at a place; what was drawn last is on top. Narrow bars may be missed by 2 pixels.
  at(x, y) {
    for (const margin of [0, 2])
      for (let i = this.hits.length - 1; i >= 0; i -= 1) {
        const hit = this.hits[i];
        if (x >= hit.x - margin && x <= hit.x + hit.width + margin && y >= hit.y && y <= hit.y + hit.height) return hit.target;
      }
    return null;
  }

  onWheel(event) {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      this.window.zoom(Math.exp(event.deltaY * 0.004), event.offsetX);
      this.draw();
      return;
    }
    const sideways = event.shiftKey ? event.deltaY : event.deltaX;
    if (Math.abs(sideways) <= Math.abs(event.shiftKey ? 0 : event.deltaY)) return;
    event.preventDefault();
    this.window.pan(sideways / this.window.width);
    this.draw();
  }

  onDown(event) {
    if (event.button !== 0) return;
    this.press = { x: event.offsetX, y: event.offsetY, lastX: event.offsetX, isDrag: false };
    this.canvas.setPointerCapture(event.pointerId);
  }

  onMove(event) {
    const { press } = this;
    if (!press) {
      this.showTip(event.offsetX, event.offsetY);
      return;
    }
    if (Math.abs(event.offsetX - press.x) > 3) press.isDrag = true;
    if (press.isDrag) this.onDrag(event, press);
    press.lastX = event.offsetX;
  }

  onDrag(event, press) {
    this.window.pan((press.lastX - event.offsetX) / this.window.width);
    this.draw();
  }

  onUp(event) {
    const { press } = this;
    this.press = null;
    if (press && !press.isDrag) this.onClick(event.offsetX, event.offsetY);
  }

  showTip(x, y) {
    const target = this.at(x, y);
    const lines = target ? this.describe(target) : [];
    this.tip.hidden = lines.length === 0;
    if (this.tip.hidden) return;
    this.tip.replaceChildren(...lines.map((line, i) => element("div", { class: i === 0 ? "tip-title" : "" }, line)));
    const left = Math.min(x + 14, this.box.clientWidth - this.tip.offsetWidth - 8);
    this.tip.style.left = `${Math.max(4, left)}px`;
    this.tip.style.top = `${y - this.box.scrollTop + this.box.offsetTop + 18}px`;
  }

  // Keys that every picture has. Returns whether it was one.
  zoomKey(event) {
    const { window: shown } = this;
    const middle = shown.left + shown.width / 2;
    const about = this.focusX ? this.focusX(middle) : middle;
    if (event.key === "+" || event.key === "=") shown.zoom(1 / 1.6, about);
    else if (event.key === "-" || event.key === "_") shown.zoom(1.6, about);
    else if (event.key === "0") shown.fit();
    else if (event.key === "ArrowLeft" && event.shiftKey) shown.pan(-0.2);
    else if (event.key === "ArrowRight" && event.shiftKey) shown.pan(0.2);
    else return false;
    this.draw();
    return true;
  }
}
