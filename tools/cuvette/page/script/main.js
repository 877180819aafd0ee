// Reads the data and shows the views. The page's body is marked data-ready when all is drawn.

async function start() {
  const loading = document.getElementById("loading");
  if (typeof DecompressionStream === "undefined") {
    loading.textContent = "This page needs a browser of 2023 or later, which can unpack gzip (DecompressionStream).";
    return;
  }
  const source = document.getElementById("data");
  const data = await readData(source.textContent);
  source.remove();
  document.getElementById("title").textContent = data.title;
  const isAlone = data.views.length === 1;
  const views = data.views.map((run, index) => new View(run, index, isAlone));
  const main = document.getElementById("views");
  main.classList.toggle("beside", !isAlone);
  main.replaceChildren(...views.map((view) => view.element));
  loading.remove();
  const dialog = helpDialog();
  document.body.append(dialog);
  listenToKeys(views, dialog);
  const plots = views.flatMap((view) => [view.timeline, view.map]);
  for (const query of ["(prefers-color-scheme: dark)", "(forced-colors: active)", "(prefers-contrast: more)"])
    matchMedia(query).addEventListener("change", () => plots.forEach((plot) => plot.forgetTheme()));
  window.cuvette = { views };  // for a browser's console
  // After two frames, the first pictures are there.
  requestAnimationFrame(() => requestAnimationFrame(() => {
    document.body.dataset.ready = "yes";
  }));
}

start().catch((error) => {
  const loading = document.getElementById("loading");
  if (loading) loading.textContent = `This page cannot show its data: ${error.message}`;
  throw error;
});
