// The model's answer, computed again from the affine functions that were recovered.

function lineAt(line, x) {
  let sum = line.base;
  for (let j = 0; j < x.length; j++) {
    // Features that were not moved have no weight: their part is in the base.
    if (Number.isFinite(line.D[j])) sum += line.D[j] * x[j];
  }
  return sum;
}

function oddsAt(record, x) {
  return linesOf(record).map((line) => lineAt(line, x));
}

function logistic(l) {
  return l >= 0 ? 1 / (1 + Math.exp(-l)) : Math.exp(l) / (1 + Math.exp(l));
}

// Shares of all classes, from the target's log-odds against every rival.
function softmax(record, odds) {
  const logits = FACTS.classes.map(() => 0);
  odds.forEach((l, k) => (logits[rivalAt(record.index, k)] = -l));
  const most = largest(logits);
  const parts = logits.map((z) => Math.exp(z - most));
  const sum = parts.reduce((a, b) => a + b, 0);
  return parts.map((part) => part / sum);
}

// What is shown of them: lines of { label, value, kind }, the explained class first.
function reading(record, odds) {
  if (REGRESSION) return [{ class: record.target, value: odds[0], kind: "output" }];
  if (!SOFTMAX) return [{ class: record.target, value: logistic(odds[0]), kind: "share" }];
  if (odds.every(Number.isFinite)) return shares(record, softmax(record, odds));
  // With some rivals unknown there is no share of all, only of two at a time.
  return odds
    .map((l, k) => ({ class: record.target, against: rivalAt(record.index, k), value: logistic(l), kind: "duel" }))
    .filter((line) => Number.isFinite(line.value));
}

function shares(record, values) {
  const all = values.map((value, c) => ({ class: c, value, kind: "share" }));
  const [own] = all.splice(record.target, 1);
  return [own, ...all.sort((a, b) => b.value - a.value)];
}

function readingText(line) {
  return line.kind === "output" ? plainNumber(line.value, 6) : percent(line.value);
}

// How far a share can be off inside the box: the slope of a share is at most 1/4.
function shareError(record, x) {
  const bounds = (record.lines ?? []).map((line) => line.scaledBound).filter(Number.isFinite);
  if (!bounds.length) return ownError(record, x) / (REGRESSION ? 1 : 4);
  const moved = norm(x.map((v, j) => (v - record.x[j]) / FACTS.scale[j]));
  return (record.floor + largest(bounds) * moved) / 4 + 1e-15;
}

function ownError(record, x) {
  const off = Array.from(x, (v, j) => (v === record.x[j] ? 0 : record.own.bound[j] * Math.abs(v - record.x[j])));
  return record.floor + off.reduce((a, b) => a + b, 0);
}
