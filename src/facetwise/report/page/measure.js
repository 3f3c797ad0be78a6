// What the length of a bar says. Weights of features in different units do not compare;
// weights times a typical step of each do.

const MEASURES = {
  step: {
    label: "one typical step up",
    head: "Effect of one step up",
    told: "how the score changes when a feature goes up by one typical step",
    factor: (j) => FACTS.typical[j],
  },
  unit: {
    label: "one unit up",
    head: "Effect of one unit up",
    told: "how the score changes when a feature goes up by 1",
    factor: () => 1,
  },
  part: {
    label: "its part in the score",
    head: "Part in the score",
    told: "weight times value: with the base, these add up to the score",
    factor: (j, x) => x[j],
  },
};

// Pixels are all in the same unit.
const USUAL = FACTS.image ? "unit" : "step";

function measured(measure, line, x) {
  return Array.from(line.D, (w, j) => w * MEASURES[measure].factor(j, x));
}

function measuredBound(measure, line, x) {
  const factor = (j) => Math.abs(MEASURES[measure].factor(j, x));
  if (line.bound) return Array.from(line.bound, (b, j) => b * factor(j));
  // Of a pair there is one bound for all weights together, counted in typical steps.
  return Array.from(line.D, (_, j) => (line.scaledBound / FACTS.scale[j]) * factor(j));
}

// A weight that cannot be told from 0 is shown as 0.
function told(effects, bounds) {
  return effects.map((e, j) => (Math.abs(e) <= bounds[j] ? 0 : e));
}

function byStrength(effects) {
  const places = [...effects.keys()].filter((j) => Number.isFinite(effects[j]));
  return places.sort((a, b) => Math.abs(effects[b]) - Math.abs(effects[a]));
}
