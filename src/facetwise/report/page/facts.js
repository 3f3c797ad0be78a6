// What the file says, as it was written by facts.py.

const FACTS = JSON.parse(document.getElementById("facts").textContent);
const D = FACTS.features.length;
const SOFTMAX = document.getElementById("pairs") !== null;
const LINES = SOFTMAX ? FACTS.classes.length - 1 : 1;
const REGRESSION = FACTS.about.response === "regression";
const FROM = {
  data: new Rows("data", D),
  values: new Rows("values", D),
  bound: new Rows("bound", D, Float32Array),
  odds: new Rows("odds", LINES),
  pairs: new Rows("pairs", LINES * D),
  pairBase: new Rows("pairBase", LINES),
  pairBound: new Rows("pairBound", LINES, Float32Array),
};


function className(c) {
  return c < 0 ? "unknown" : (FACTS.classes[c] ?? `class ${c}`);
}

// Codes of a column of text stand for its entries.
function shownValue(j, value) {
  const texts = FACTS.categories[j];
  return texts ? (texts[value] ?? NOTHING) : plainNumber(value, 4);
}
