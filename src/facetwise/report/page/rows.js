// Which rows are listed, and in which order.

const NUMERIC = Array.from({ length: FACTS.rows }, (_, i) => i);

const COLUMNS = [
  { key: "row", head: "Row", value: (i) => i },
  { key: "status", head: "Certainty", value: (i) => FACTS.status[i] },
  { key: "class", head: REGRESSION ? "Output" : "Class", value: (i) => FACTS.target[i] },
  { key: "score", head: REGRESSION ? "Value" : "Likelihood", value: (i) => summary(i).value, numeric: true },
  { key: "rival", head: "Closest", value: (i) => summary(i).rival ?? Infinity },
  { key: "radius", head: "Box", value: (i) => FACTS.radius[i] ?? NaN, numeric: true },
];

const summaries = new Map();

// A few figures of a row; its weights are left undecoded.
function summary(i) {
  if (!summaries.has(i)) summaries.set(i, summaryOf(i));
  return summaries.get(i);
}

function summaryOf(i) {
  const odds = Array.from(FROM.odds.row(i));
  if (!odds.some(Number.isFinite)) return { text: NOTHING, value: NaN };
  const [own] = reading({ index: i, target: FACTS.target[i] }, odds);
  // The closest of those that are known need not be the closest.
  const whole = SOFTMAX && odds.every(Number.isFinite);
  const rival = whole ? rivalAt(i, odds.indexOf(least(odds))) : undefined;
  return { text: own.kind === "duel" ? NOTHING : readingText(own), value: own.kind === "duel" ? NaN : own.value, rival };
}

function compared(column) {
  const missing = (v) => (Number.isNaN(v) ? 1 : 0);
  return (a, b) => {
    const [u, v] = [column.value(a), column.value(b)];
    // What is not known goes last, whichever way the rest is sorted.
    return missing(u) - missing(v) || (u < v ? -1 : u > v ? 1 : 0);
  };
}

function sorted(rows, { key, down }) {
  const column = COLUMNS.find((c) => c.key === key);
  const order = [...rows].sort(compared(column));
  if (!down) return order;
  const known = order.filter((i) => !Number.isNaN(column.value(i)));
  return [...known.reverse(), ...order.filter((i) => Number.isNaN(column.value(i)))];
}

// Text as people type it: capitals and accents do not matter.
function folded(text) {
  return String(text).normalize("NFKD").replace(/\p{M}/gu, "").toLocaleLowerCase("en");
}

const texts = new Map();

function textOf(i) {
  if (!texts.has(i)) {
    const x = FROM.data.row(i);
    const entries = Object.keys(FACTS.categories).map((j) => shownValue(j, x[j]));
    const rival = summary(i).rival;
    const words = [`row ${i}`, className(FACTS.target[i]), FACTS.statuses[FACTS.status[i]].title, ...entries];
    texts.set(i, folded([...words, rival === undefined ? "" : className(rival)].join(" ")));
  }
  return texts.get(i);
}

function chosen({ search, status, target }) {
  const words = folded(search).split(/\s+/).filter(Boolean);
  return NUMERIC.filter((i) =>
    (status === "" || FACTS.status[i] === Number(status)) &&
    (target === "" || FACTS.target[i] === Number(target)) &&
    words.every((word) => textOf(i).includes(word)));
}
