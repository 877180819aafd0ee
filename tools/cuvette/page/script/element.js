// Elements of the page. Texts are only ever set as text: names come from programs.

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== "") made.setAttribute(name, value);
    else if (name === "hidden") made.hidden = true;
  }
  for (const child of children.flat(Infinity)) if (child !== null && child !== undefined) made.append(child);
  return made;
}

function button(text, attributes, onclick) {
  return element("button", { type: "button", ...attributes, onclick }, text);
}

// An icon of 16 pixels, drawn with strokes of the text's colour.
function icon(path, className) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [name, value] of Object.entries({ viewBox: "0 0 16 16", width: "16", height: "16", "aria-hidden": "true", class: className || "icon" }))
    svg.setAttribute(name, value);
  const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

const icons = {
  cross: "M4 4 L12 12 M12 4 L4 12",
  check: "M3 8.5 L6.5 12 L13 4.5",
  hint: "M8 3 V9 M8 12 V12.5",
};
