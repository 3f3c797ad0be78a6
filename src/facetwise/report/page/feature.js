// One feature of a row: its value, its bar, its number, its slider.

function featureLine(j, whatif, { effects, bounds, most, signal }) {
  const { record } = whatif;
  const cells = [
    element("th", { scope: "row" }, nameOf(FACTS.features[j])),
    element("td", { class: "value" }, element("bdi", {}, shownValue(j, record.x[j]))),
    element("td", { class: "bar-cell", "aria-hidden": "true" }, bar(effects[j], bounds[j], most)),
    element("td", { class: "effect" }, effectText(effects[j], bounds[j], record)),
    element("td", { class: "slider-cell" }, canMove(record, j) ? slider(j, whatif, signal) : null),
  ];
  return element("tr", { "data-feature": j }, cells);
}

// The zero line is in the middle; a whisker shows the bound where it can be seen.
function bar(effect, bound, most) {
  const side = effect > 0 ? "up" : "down";
  const shape = placed(element("span", { class: `bar ${side}` }), { length: Math.abs(effect) / most || 0 });
  const track = element("span", { class: "track" }, shape);
  if (bound / most > 0.005) {
    const at = placed(element("span", { class: "whisker" }), { at: effect / most, off: Math.min(bound / most, 2) });
    track.append(at);
  }
  return track;
}

function effectText(effect, bound, record) {
  if (!Number.isFinite(effect)) return [element("span", { class: "quiet" }, "not moved")];
  const number = datum(effect, signed(effect));
  if (!Number.isFinite(bound)) return [number, element("small", {}, "no bound")];
  // What is not certified has an estimate at most, and never looks like a bound.
  const told = record.certified ? `± ${atMost(bound)}` : `± ${atMost(bound)} (estimate)`;
  return [number, element("small", {}, told)];
}

function slider(j, whatif, signal) {
  const { record, box } = whatif;
  const scale = scaleOf(record, box, j);
  const range = element("input", {
    type: "range", min: -OUTER, max: OUTER, step: 1, value: 0,
    class: box && movesFreely(record, j) ? "boxed" : "unboxed",
    "aria-label": `What if ${FACTS.features[j]} were different`,
    input: () => whatif.set(j, scale.valueAt(Number(range.value))),
  });
  const typed = element("input", {
    type: "text", inputmode: "decimal", size: 8, autocomplete: "off", spellcheck: "false",
    "aria-label": `Value of ${FACTS.features[j]}`,
    change: () => setTyped(typed, j, whatif),
  });
  const offset = element("small", { class: "offset" });
  whatif.listen(() => showValue(j, whatif, scale, { range, typed, offset }), signal);
  return element("div", { class: "slider" }, range, typed, offset);
}

function showValue(j, whatif, scale, { range, typed, offset }) {
  const value = whatif.x[j];
  const off = value - whatif.record.x[j];
  const alone = whatif.box && value >= whatif.box.low[j] && value <= whatif.box.high[j];
  const where = alone ? "inside the certified box" : "outside what is certified";
  range.value = scale.placeOf(value);
  range.classList.toggle("beyond", !alone);
  range.setAttribute("aria-valuetext", `${plainNumber(value, 6)}, ${where}`);
  typed.title = String(value);
  typed.value = Number(value.toPrecision(5));
  typed.dataset.value = String(value);
  offset.textContent = off === 0 ? "" : signed(off);
}

function setTyped(typed, j, whatif) {
  const value = Number(typed.value.replace(MINUS, "-").replace(",", "."));
  const usable = typed.value.trim() !== "" && Number.isFinite(value);
  whatif.set(j, usable ? value : whatif.x[j]);
}
