// Over all rows: which features drive which class, and how far that differs.

const MOST_FEATURES = 8;
const HEAT_HINT = "Red pixels raise the score when they get brighter, blue ones lower it, in the mean over rows.";
const STRIP_HINT = "Dots to the right raise the score, dots to the left lower it, and the tick is the mean over rows.";
const RULE_HINT = "Each dot is one local rule of the model, which may serve many rows.";
const ROW_HINT = "Each dot is one row.";

function driversOf() {
  const groups = groupsOf();
  if (!groups.length) return null;
  const list = element("div", { class: "groups" });
  const hint = element("p", { class: "hint" });
  const draw = (measure) => {
    hint.textContent = `Certified rows only. ${hintOf(measure)}`;
    list.replaceChildren(...groups.map((group) => groupOf(group, measure)));
  };
  draw(USUAL);
  return element("section", { class: "drivers", "aria-labelledby": "drivers" },
    element("h2", { id: "drivers" }, "What drives each class"),
    element("div", { class: "controls" }, measureChoice(USUAL, draw)),
    hint, list);
}

function hintOf(measure) {
  if (FACTS.image) return HEAT_HINT;
  return `${dotsAreRows(measure) ? ROW_HINT : RULE_HINT} ${STRIP_HINT}`;
}

// Rows that share their weights differ in their values.
function dotsAreRows(measure) {
  return measure === "part";
}

// Rows that explain the same class against the same rivals: others do not compare.
function groupsOf() {
  const groups = new Map();
  for (let i = 0; i < FACTS.rows; i++) {
    if (FACTS.piece[i] < 0) continue;
    const key = `${FACTS.target[i]} ${FACTS.contrast[i]}`;
    if (!groups.has(key)) groups.set(key, { target: FACTS.target[i], contrast: FACTS.contrast[i], rows: [] });
    groups.get(key).rows.push(i);
  }
  return [...groups.values()].sort((a, b) => b.rows.length - a.rows.length);
}

function groupOf(group, measure) {
  const effects = group.rows.map((i) => effectsOf(i, measure));
  const rules = new Set(group.rows.map((i) => FACTS.piece[i])).size;
  const mean = (of) => Array.from({ length: D }, (_, j) => effects.reduce((sum, e) => sum + of(e[j]), 0) / effects.length);
  const title = element("h3", {}, nameOf(className(group.target)), ...comparison(group),
    element("small", {}, `${count(group.rows.length, "row")}, ${count(rules, "local rule")}`));
  const dots = group.rows.map((i) => (dotsAreRows(measure) ? i : FACTS.piece[i]));
  const body = FACTS.image ? meanPictures(group, mean) : strips(dots, effects, mean);
  return element("div", { class: "group" }, title, body);
}

function effectsOf(i, measure) {
  const [line, x] = [{ D: FROM.values.row(i), bound: FROM.bound.row(i) }, FROM.data.row(i)];
  return told(measured(measure, line, x), measuredBound(measure, line, x));
}

function meanPictures(group, mean) {
  const image = new Float64Array(D);
  group.rows.forEach((i) => FROM.data.row(i).forEach((v, j) => (image[j] += v / group.rows.length)));
  return element("div", { class: "pictures" },
    element("figure", {}, pictureOf(image, "Mean of the images"), element("figcaption", {}, "Mean image")),
    element("figure", {}, heatOf(mean((e) => e), "Mean of the weights"), element("figcaption", {}, "Mean weights")));
}

function strips(dots, effects, mean) {
  const means = mean((e) => e);
  const order = byStrength(mean(Math.abs)).slice(0, MOST_FEATURES);
  const most = extent(effects.flatMap((e) => order.map((j) => e[j])));
  const lines = order.map((j) => {
    const values = effects.map((e) => e[j]);
    return element("tr", {},
      element("th", { scope: "row" }, nameOf(FACTS.features[j]), element("small", {}, `step ${plainNumber(FACTS.typical[j], 3)}`)),
      element("td", { class: "strip-cell" }, strip(dots, values, means[j], most)),
      element("td", { class: "effect" }, datum(means[j], signed(means[j], 2)), element("small", {}, spreadText(values))));
  });
  return element("table", {}, element("caption", { class: "hidden" }, "Mean and range of each feature's effect"), element("tbody", {}, lines));
}

function spreadText(values) {
  const [from, to] = [least(values), largest(values)];
  return to - from <= 1e-6 * Math.abs(to) ? "everywhere" : `${signed(from, 2)} to ${signed(to, 2)}`;
}

// Dots are short lines with round ends, so that thousands of them are two shapes.
function strip(dots, values, mean, most) {
  const paths = { up: "", down: "" };
  const seen = new Set();
  values.forEach((value, k) => {
    if (seen.has(dots[k]) || !Number.isFinite(value)) return;
    seen.add(dots[k]);
    const height = 12 + 5 * Math.sin(7 * dots[k]); // so that equal ones lie beside each other
    paths[value >= 0 ? "up" : "down"] += `M${at(value, most)} ${height.toFixed(1)}h0`;
  });
  return drawing("svg", { class: "strip", viewBox: "0 0 300 24", preserveAspectRatio: "none", "aria-hidden": "true" },
    drawing("path", { class: "zero", d: "M150 0v24" }),
    drawing("path", { class: "up", d: paths.up }), drawing("path", { class: "down", d: paths.down }),
    drawing("path", { class: "tick", d: `M${at(mean, most)} 3v18` }));
}

function at(value, most) {
  return (150 + 142 * (value / most)).toFixed(2);
}
