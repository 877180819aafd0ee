// What was reported: the selected report in full, with the order that is missing, and a table of all.

class Reports {
  constructor(view) {
    this.view = view;
    this.card = element("div", { class: "report-card" });
    this.element = element("section", { class: "reports", "aria-label": "Reports" });
    const { reports, outcome } = view.run;
    if (outcome) this.element.append(this.outcome(outcome));
    if (reports.length === 0) {
      // "No mistake was reported" is no answer to a program that fails.
      if (outcome && outcome.isFailure) return;
      this.element.append(this.nothing());
      return;
    }
    this.element.append(this.card);
    if (reports.length > 1) {
      this.grid = new Grid({
        label: "Reports",
        rows: reports.length,
        most: 4,
        columns: [
          { title: "Severity", width: "7.5rem", cell: (row) => severityElement(reports[row]) },
          { title: "Report", width: "11rem", cell: (row) => reports[row].identifier },
          { title: "What happened", width: "minmax(14rem, 3fr)", cell: (row) => reports[row].message },
          { title: "Where", width: "minmax(9rem, 1fr)", cell: (row) => placeOf(reports[row].site) },
        ],
        isSelected: (row) => row === view.state.report,
        onSelect: (row) => view.select({ report: row }),
      });
      this.element.append(this.grid.element);
    }
  }

  // How the run ended, and what it said.
  outcome({ isFailure, sentence, facts, output, repeat }) {
    const card = element("div", { class: `report-card outcome ${isFailure ? "fault" : "none"}` },
      element("h2", { class: "verdict" }, icon(isFailure ? icons.cross : icons.check, `icon ${isFailure ? "bad" : "good"}`), sentence),
      ...facts.map((fact) => element("p", { class: "message" }, fact)));
    if (output) card.append(element("p", { class: "quiet-text" }, "The program said, at last:"),
      element("pre", { class: "output", tabindex: "0", "aria-label": "Output of the program" }, output));
    if (repeat) card.append(element("p", { class: "quiet-text" }, "To repeat it:"), element("pre", { class: "output", tabindex: "0", "aria-label": "Command" }, repeat));
    return card;
  }

  nothing() {
    const { view } = this;
    const card = element("div", { class: "report-card none" },
      element("h2", { class: "verdict" }, icon(icons.check, "icon good"), "No mistake was reported."));
    const shared = view.firstShared();
    if (shared) {
      const { bytes, windows, moment } = shared;
      card.append(element("p", { class: "message" },
        `${bytesText(bytes.to - bytes.from)} of ${view.names.space(bytes.space)} are seen through ${windows === 2 ? "two" : windows} windows. `,
        button("Show these bytes", { class: "link" }, () => view.select({ bytes, moment }))));
    }
    const failed = this.failedCalls();
    if (failed.length > 0) {
      const site = placeOf(view.names.site(view.run.calls, failed[0]));
      card.append(element("p", { class: "message" },
        `${countText(failed.length, "call")} returned an error, ${failed.length > 1 ? "the first of them " : ""}${view.names.call(failed[0])}${site ? ` (${site})` : ""}. `,
        button("Show this call", { class: "link" }, () => view.select({ call: failed[0] }))));
    }
    // `explore` looks for them itself.
    if (!view.run.outcome)
      card.append(element("p", { class: "message quiet-text" }, element("code", {}, "--check=races"), " also looks for commands that nothing orders."));
    return card;
  }

  // Calls that returned an error, the earliest first: of calls inside each other, the outermost one
  // alone. An answer is no error: that work is not ready, or which error was the last.
  failedCalls() {
    const { names, run } = this.view;
    const { calls } = run;
    const notReady = 600;
    const failed = [];
    for (let call = 0; call < calls.rows; call += 1)
      if (!Number.isNaN(calls.ended[call]) && calls.result[call] !== 0 && calls.result[call] !== notReady
        && !/LastError$/.test(names.call(call))) failed.push(call);
    failed.sort((a, b) => calls.began[a] - calls.began[b] || calls.ended[b] - calls.ended[a]);
    const ends = new Map();
    return failed.filter((call) => {
      const thread = calls.thread[call];
      if (calls.began[call] < (ends.has(thread) ? ends.get(thread) : -Infinity)) return false;
      ends.set(thread, calls.ended[call]);
      return true;
    });
  }

  update(changed) {
    const { view } = this;
    if (this.grid) this.grid.render();
    if (view.state.report < 0 || !changed.has("report")) return;
    const report = view.run.reports[view.state.report];
    const missing = view.missing();
    this.card.className = `report-card ${report.severity === "hint" ? "hint" : "fault"}`;
    const several = view.run.reports.length > 1;
    this.card.replaceChildren(
      element("p", { class: "kind" }, severityElement(report), element("span", { class: "identifier" }, report.identifier),
        several ? element("span", { class: "count" }, `${view.state.report + 1} of ${view.run.reports.length}`,
          button("‹", { class: "step", "aria-label": "Previous report" }, () => view.stepReport(-1)),
          button("›", { class: "step", "aria-label": "Next report" }, () => view.stepReport(1))) : null),
      element("h2", { class: "verdict" }, this.headline(report, missing)),
      element("div", { class: "fault-body" }, missing ? [this.picture(missing), this.cure(missing)] : this.places(report)),
      element("details", { class: "facts" }, element("summary", {}, "All that the report says"), this.facts(report)),
    );
  }

  // The fault in one sentence.
  headline(report, missing) {
    const { names } = this.view;
    if (missing && missing.to.what === "command") {
      const [a, b] = [missing.from.item, missing.to.item];
      const bytes = this.view.state.bytes;
      const where = bytes ? ` Both touch ${bytesText(bytes.to - bytes.from)} of ${names.space(bytes.space)}.` : "";
      return `Nothing orders ${names.command(a)} and ${names.command(b)}.${where}`;
    }
    return report.message.length > 600 ? `${report.message.slice(0, 600)}…` : report.message;
  }

  // The two, and the arrow that is not there.
  picture(missing) {
    return element("div", { class: "pair" }, this.party(missing.from, missing),
      element("div", { class: "missing", role: "img", "aria-label": `${missing.words}: no edge leads from the first to the second` },
        element("span", { class: "dashes" }), icon(icons.cross, "icon bad"), element("span", { class: "dashes tip-end" })),
      this.party(missing.to, missing));
  }

  party({ what, item }) {
    const { view } = this;
    const { names, run } = view;
    const isCommand = what === "command";
    const lines = isCommand ? view.touchesOfReport(item) : [];
    return element("button", { type: "button", class: "party", title: isCommand ? names.whole(run.commands.name, item) : "", onclick: () => view.select({ [what]: item }) },
      element("span", { class: "party-name" }, isCommand ? names.command(item) : names.call(item)),
      element("span", { class: "party-place" }, isCommand ? `${capital(names.stream(names.streamOf(item)))}, command ${names.number(item)}`
        : `in thread ${names.thread(run.calls.thread[item])}`),
      ...lines.map((line) => element("span", { class: "party-place" }, line)),
      element("span", { class: "site" }, placeOf(names.site(isCommand ? run.commands : run.calls, item)) || "place unknown"));
  }

  cure(missing) {
    return element("div", { class: "cure" }, element("p", { class: "cure-title" }, "To order them, add"),
      element("ol", {}, missing.lines.map(({ when, what, site, code }) =>
        element("li", {}, element("code", {}, code), element("span", { class: "when" }, `${when} ${what}${site ? `, ${site}` : ""}`)))));
  }

  places(report) {
    const parties = [...report.commands.slice(0, 4).map((item) => ({ what: "command", item })),
      ...report.calls.slice(0, 2).map((item) => ({ what: "call", item }))];
    return [
      parties.length > 0 ? element("div", { class: "pair alone" }, parties.map((party) => this.party(party))) : null,
      report.advice ? element("div", { class: "cure" }, element("p", { class: "cure-title" }, "What to do"), element("p", { class: "advice" }, report.advice)) : null,
      parties.length === 0 && report.site ? element("p", { class: "site" }, report.site) : null];
  }

  facts(report) {
    const rows = [["message", report.message], ...report.facts];
    if (report.site) rows.push(["called at", report.site]);
    if (report.advice) rows.push(["what to do", report.advice]);
    return element("dl", {}, rows.map(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
  }
}

// A severity has a shape and a word.
function severityElement(report) {
  const isHint = report.severity === "hint";
  return element("span", { class: `severity ${isHint ? "hint" : "fault"}` }, icon(isHint ? icons.hint : icons.cross, "icon"), report.severity || "error");
}
