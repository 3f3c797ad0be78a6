// The certified box of a row, and sliders that can be moved in it however small it is.
//
// A slider has 200 steps on each side of the instance. The inner half of them are the
// box, evenly; the outer half go on from there to the far end, by equal factors.

const INNER = 100;
const OUTER = 200;
// A box is trimmed to numbers of few digits, by less than this share of its width.
const TRIMMED = 1 / 1024;

function boxOf(record) {
  if (!record.certified) return null;
  const low = Float64Array.from(record.x);
  const high = Float64Array.from(record.x);
  for (let j = 0; j < D; j++) {
    if (!movesFreely(record, j)) continue;
    const reach = record.radius * FACTS.scale[j];
    const from = Math.max(record.x[j] - reach, FACTS.lower[j] ?? -Infinity);
    const to = Math.min(record.x[j] + reach, FACTS.upper[j] ?? Infinity);
    const trimmed = (to - from) * TRIMMED;
    low[j] = Math.min(from + trimmed, record.x[j]);
    high[j] = Math.max(to - trimmed, record.x[j]);
  }
  return { low, high };
}

// Features with a step were looked at in their next value alone, each by itself.
function movesFreely(record, j) {
  return !(FACTS.step[j] > 0) && Number.isFinite(record.own.D[j]);
}

function canMove(record, j) {
  const answered = record.odds.some(Number.isFinite);
  return answered && Number.isFinite(record.own.D[j]) && !FACTS.categories[j];
}

function isInside(box, x) {
  return box !== null && x.every((v, j) => v >= box.low[j] && v <= box.high[j]);
}

// A slider's end: typical steps away, and as far as the rows of this report go.
function farEnds(record, j) {
  const [least, most] = spanOf(j);
  const steps = 2 * FACTS.scale[j];
  const low = Math.max(Math.min(least, record.x[j] - steps), FACTS.lower[j] ?? -Infinity);
  const high = Math.min(Math.max(most, record.x[j] + steps), FACTS.upper[j] ?? Infinity);
  return [low, high];
}

const SPANS = new Map();

function spanOf(j) {
  if (!SPANS.size) {
    const least = new Float64Array(D).fill(Infinity);
    const most = new Float64Array(D).fill(-Infinity);
    for (let i = 0; i < FACTS.rows; i++) {
      FROM.data.row(i).forEach((v, k) => {
        least[k] = Math.min(least[k], v);
        most[k] = Math.max(most[k], v);
      });
    }
    least.forEach((v, k) => SPANS.set(k, [v, most[k]]));
  }
  return SPANS.get(j);
}

// From the place of a slider to a value, and back.
function scaleOf(record, box, j) {
  const x = record.x[j];
  const [lowEnd, highEnd] = farEnds(record, j);
  const near = { "-1": box ? x - box.low[j] : 0, 1: box ? box.high[j] - x : 0 };
  const far = { "-1": Math.max(x - lowEnd, near[-1]), 1: Math.max(highEnd - x, near[1]) };
  return {
    valueAt(place) {
      const side = place < 0 ? -1 : 1;
      const t = Math.abs(place);
      // The ends are the box's very own numbers, so that they count as inside.
      if (box && t === INNER) return side < 0 ? box.low[j] : box.high[j];
      return onStep(x + side * distance(near[side], far[side], t), x, j);
    },
    placeOf(value) {
      const side = value < x ? -1 : 1;
      return Math.round(side * place(near[side], far[side], Math.abs(value - x)));
    },
  };
}

function distance(near, far, t) {
  if (near === 0) return (far * t) / OUTER;
  if (t <= INNER) return (near * t) / INNER;
  return near * (far / near) ** ((t - INNER) / (OUTER - INNER));
}

function place(near, far, away) {
  if (away === 0) return 0;
  if (near === 0) return Math.min(OUTER, (away / far) * OUTER);
  if (away <= near) return (away / near) * INNER;
  if (far <= near) return OUTER;
  return Math.min(OUTER, INNER + ((OUTER - INNER) * Math.log(away / near)) / Math.log(far / near));
}

function onStep(value, x, j) {
  const step = FACTS.step[j];
  return step > 0 ? x + Math.round((value - x) / step) * step : value;
}
