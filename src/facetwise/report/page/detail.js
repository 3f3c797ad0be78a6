// Everything about one row.

function detailOf(record) {
  const whatif = new WhatIf(record);
  const node = element("article", { class: `detail ${record.standing}`, "aria-labelledby": "row-title" }, titleOf(record), statusOf(record));
  if (record.odds.some(Number.isFinite)) node.append(answerOf(whatif));
  const rival = rivalText(record);
  if (rival) node.append(rival);
  if (hasWeights(record)) node.append(weightsOf(whatif));
  else node.append(valuesOf(record));
  node.append(figuresOf(record));
  return node;
}

function titleOf(record) {
  const known = record.target >= 0;
  const why = known ? ["Why ", nameOf(className(record.target)), ...comparison(record), "?"] : ["Not examined"];
  return element("h3", { id: "row-title", tabindex: -1 }, element("span", { class: "number" }, `Row ${record.index}`), ...why);
}

function statusOf(record) {
  return element("div", { class: `standing ${record.standing}` },
    element("p", {}, markedStatus(record.status), " ", record.status.plain),
    element("details", {}, element("summary", {}, "In technical terms"), element("p", {}, record.status.sentence)));
}

function weightsOf(whatif) {
  const { record } = whatif;
  const table = new FeatureTable(whatif);
  const pictures = element("div");
  // With one rival, all others and that one are the same.
  const lines = [record.own, ...(SOFTMAX && record.contrast < 0 ? rivalsOf(record) : [])];
  const state = { line: record.own, measure: USUAL };
  const hint = element("p", { class: "hint" });
  const draw = (change) => {
    Object.assign(state, change);
    table.draw(state.line, state.measure);
    hint.textContent = `Bars: ${MEASURES[state.measure].told}.`;
    if (FACTS.image) pictures.replaceChildren(picturesOf(record, table.effects, (features) => table.pick(features)));
  };
  draw({});
  return element("section", { class: "weights", "aria-label": "What drove it" },
    element("div", { class: "controls" },
      lines.length > 2 ? choice("Compared with", lines.map((line, k) => option(k, k ? className(line.rival) : "all other classes")), (k) => draw({ line: lines[k] })) : null,
      measureChoice(state.measure, (measure) => draw({ measure }))),
    hint, pictures, table.node, sliderHint(record));
}

function measureChoice(chosen, onchange) {
  const label = choice("Bars show", Object.entries(MEASURES).map(([key, m]) => option(key, m.label)), onchange);
  label.querySelector("select").value = chosen;
  return label;
}

function sliderHint(record) {
  if (!record.certified) return element("p", { class: "hint screen" }, "Nothing is certified around this row, so sliders show estimates.");
  return element("p", { class: "hint screen" },
    "The inner half of a slider is the certified box, however narrow it is, and the outer half goes on far beyond it.");
}

// Without weights there is still the row itself.
function valuesOf(record) {
  if (FACTS.image) return element("figure", { class: "alone" }, pictureOf(record.x, "The image"));
  const lines = FACTS.features.slice(0, 50).map((name, j) =>
    element("tr", {}, element("th", { scope: "row" }, nameOf(name)), element("td", { class: "value" }, element("bdi", {}, shownValue(j, record.x[j])))));
  return element("details", { class: "plain-values" }, element("summary", {}, "Values of this row"), element("table", {}, element("tbody", {}, lines)));
}

function figuresOf(record) {
  const figures = [
    record.certified && ["Certified box", `${plainNumber(100 * record.radius, 2)} % of each feature's scale to each side`],
    record.certified && ["Largest error of a weight", atMost(largest(record.own.bound))],
    record.certified && FACTS.piece[record.index] >= 0 && ["Same rule as", sharedBy(record)],
    Number.isFinite(record.own.base) && ["Base", plainNumber(record.own.base, 6)],
    ["Questions asked", count(record.queries, "question")],
  ];
  return element("dl", { class: "figures" }, figures.filter(Boolean).map(([name, text]) => element("div", {}, element("dt", {}, name), element("dd", {}, text))));
}

function sharedBy(record) {
  const others = FACTS.piece.filter((piece) => piece === FACTS.piece[record.index]).length - 1;
  return others ? `${count(others, "other row")}, as far as errors allow to tell` : "no other row";
}
