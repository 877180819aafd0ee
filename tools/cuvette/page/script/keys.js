// Keys for everything, and the box that lists them.

const keyList = [
  ["Anywhere", [
    ["?", "this list"],
    ["t", "to the timeline"],
    ["m", "to the address map"],
    ["b", "to the commands that touched the selected bytes"],
    ["n  p", "next and previous report"],
    ["o", "widths by order, or by time"],
    ["e", "everything as tables"],
    ["v", "to the next run, where several are shown"],
    ["Esc", "clear the selection"],
  ]],
  ["In the timeline", [
    ["←  →", "previous and next bar"],
    ["↑  ↓", "bar of the stream or thread above and below"],
    ["+  −  0", "zoom in, out, show all"],
    ["Shift ←  →", "move"],
    ["f", "zoom to what is selected"],
  ]],
  ["In the address map", [
    ["←  →", "previous and next piece of bytes"],
    ["Shift ←  →", "fewer and more bytes"],
    ["↑  ↓", "memory above and below"],
    ["+  −  0", "zoom in, out, show all"],
  ]],
  ["With a mouse", [
    ["Click", "select"],
    ["Drag", "move the timeline; select bytes in the map"],
    ["Ctrl wheel", "zoom"],
  ]],
];

function helpDialog() {
  const dialog = element("dialog", { class: "help", "aria-labelledby": "help-title" },
    element("div", { class: "section-head" }, element("h2", { id: "help-title" }, "Keys"),
      button("Close", { class: "quiet", autofocus: "autofocus" }, () => dialog.close())),
    element("div", { class: "help-groups" }, keyList.map(([title, keys]) => element("section", {}, element("h3", {}, title),
      element("dl", {}, keys.map(([key, what]) => [element("dt", {}, key.split("  ").map((one) => element("kbd", {}, one))), element("dd", {}, what)]))))));
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  return dialog;
}

function listenToKeys(views, dialog) {
  const open = () => {
    if (!dialog.open) dialog.showModal();
  };
  document.getElementById("help-button").addEventListener("click", open);
  let current = 0;
  document.addEventListener("focusin", (event) => {
    const at = views.findIndex((view) => view.element.contains(event.target));
    if (at >= 0) current = at;
  });
  const actions = {
    "?": open,
    t: (view) => view.timeline.box.focus(),
    m: (view) => view.map.box.focus(),
    b: (view) => view.bytes.grid.scroller.focus(),
    n: (view) => view.stepReport(1),
    p: (view) => view.stepReport(-1),
    o: (view) => view.setMode(view.axis.mode === "order" ? "time" : "order"),
    e: (view) => {
      view.tables.element.open = !view.tables.element.open;
      view.tables.element.querySelector("summary").focus();
    },
    v: () => {
      current = (current + 1) % views.length;
      views[current].timeline.box.focus();
    },
    Escape: (view) => view.select({ bytes: null }),
  };
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented || dialog.open || views.length === 0) return;
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action(views[current]);
  });
}
