// One row, with everything that is known of it.

function recordOf(i) {
  const status = FACTS.statuses[FACTS.status[i]];
  return {
    index: i,
    status,
    standing: status.standing,
    certified: status.standing === "certified" || status.standing === "partly",
    target: FACTS.target[i],
    contrast: FACTS.contrast[i],
    radius: FACTS.radius[i] ?? NaN,
    floor: FACTS.floor[i] ?? NaN,
    queries: FACTS.queries[i],
    x: FROM.data.row(i),
    own: { rival: -1, D: FROM.values.row(i), bound: FROM.bound.row(i), base: FACTS.base[i] ?? NaN },
    odds: FROM.odds.row(i),
    lines: SOFTMAX ? pairsOf(i) : null,
  };
}

// The affine functions that the score is computed from: one a rival, or one alone.
function pairsOf(i) {
  const D_ = FROM.pairs.row(i);
  const base = FROM.pairBase.row(i);
  const bound = FROM.pairBound.row(i);
  return Array.from(base, (b, k) => ({
    rival: rivalAt(i, k),
    D: D_.subarray(k * D, (k + 1) * D),
    base: b,
    scaledBound: bound[k],
    status: FACTS.statuses[FACTS.pairStatus[i][rivalAt(i, k)]],
  }));
}

// Rivals come in the order of classes, and the target is left out.
function rivalAt(i, k) {
  return k < Math.max(FACTS.target[i], 0) ? k : k + 1;
}

function linesOf(record) {
  return record.lines ?? [record.own];
}

function hasWeights(record) {
  return record.standing !== "none" && record.own.D.some(Number.isFinite);
}

// Rivals that can be compared with, the closest one first.
function rivalsOf(record) {
  const known = (record.lines ?? []).map((line, k) => ({ ...line, odds: record.odds[k] }));
  return known.filter((line) => Number.isFinite(line.odds)).sort((a, b) => a.odds - b.odds);
}

function comparison(record) {
  if (record.contrast >= 0) return [" and not ", nameOf(className(record.contrast))];
  return [];
}
