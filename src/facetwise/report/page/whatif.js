// "What if": features are moved, and the answer is computed again.

class WhatIf extends EventTarget {
  constructor(record) {
    super();
    this.record = record;
    this.box = boxOf(record);
    this.x = Float64Array.from(record.x);
  }

  // Called now and after each change, until the signal says stop.
  listen(listener, signal) {
    this.addEventListener("change", listener, { signal });
    listener();
  }

  set(j, value) {
    this.x[j] = value;
    this.dispatchEvent(new Event("change"));
  }

  reset() {
    this.x.set(this.record.x);
    this.dispatchEvent(new Event("change"));
  }

  get moved() {
    return this.x.some((v, j) => v !== this.record.x[j]);
  }

  get inside() {
    return isInside(this.box, this.x);
  }

  get odds() {
    // Where nothing moved, the row's own odds are there to the last digit.
    return this.moved ? oddsAt(this.record, this.x) : Array.from(this.record.odds);
  }
}

// The answer as bars, and how far it can be relied on.
function answerOf(whatif) {
  const lines = element("div", { class: "answer-lines" });
  const trust = element("p", { class: "trust", role: "status" });
  const reset = element("button", { type: "button", class: "reset", click: () => whatif.reset() }, "Back to the row");
  const panel = element("section", { class: "answer", "aria-label": "The model's answer" }, lines,
    element("div", { class: "trust-line" }, trust, reset));
  whatif.listen(() => {
    const read = reading(whatif.record, whatif.odds);
    lines.replaceChildren(...read.slice(0, MOST_LINES).map((line) => answerLine(line, whatif.record)), ...furtherLines(read));
    trust.textContent = trustText(whatif);
    reset.hidden = !whatif.moved;
    panel.dataset.trust = trustOf(whatif);
  });
  return panel;
}

const MOST_LINES = 4;

function furtherLines(read) {
  const left = read.length - MOST_LINES;
  if (left <= 0) return [];
  const sum = read.slice(MOST_LINES).reduce((a, line) => a + line.value, 0);
  const told = read[0].kind === "share" ? `${count(left, "further class", "further classes")}: ${percent(sum)}` : `and ${left} more`;
  return [element("p", { class: "further" }, told)];
}

function answerLine(line, record) {
  const label = element("span", { class: "label" }, nameOf(className(line.class)));
  if (line.against !== undefined) label.append(" rather than ", nameOf(className(line.against)));
  const bar = element("span", { class: "share", "aria-hidden": "true" });
  placed(bar, { share: line.kind === "output" ? 0 : line.value });
  const own = line.class === record.target ? "own" : "";
  return element("div", { class: `answer-line ${own} of-${line.kind}` }, label, bar,
    datum(line.value, readingText(line), { class: "figure", "data-class": line.class, "data-against": line.against }));
}

function trustOf(whatif) {
  if (!whatif.box) return "estimate";
  return whatif.inside ? "inside" : "outside";
}

function trustText(whatif) {
  const { record } = whatif;
  if (!whatif.box) {
    return whatif.moved
      ? "Not certified: an estimate from this row's weights. The model may answer otherwise."
      : "This row is not certified: the answer is recomputed from estimated weights.";
  }
  if (!whatif.inside) return "Outside the certified box: what this row's rule would say. The model may follow another rule there.";
  const off = shareError(record, whatif.x);
  const within = Number.isFinite(off) ? ` (off by at most ${atMost(REGRESSION ? off : 100 * off)}${REGRESSION ? "" : " percentage points"})` : "";
  return `Inside the certified box: the model's answer, computed again${within}.`;
}
