// The closest competing class, and what separates it from the class explained.

function rivalText(record) {
  const [closest] = rivalsOf(record);
  if (!closest) return null;
  // The closest of those that could be compared with need not be the closest of all.
  const head = record.odds.every(Number.isFinite) ? "Closest competitor" : "Compared with";
  return element("p", { class: "closest" },
    element("strong", {}, `${head}: `, nameOf(className(closest.rival))), ". ",
    leadText(record, closest), separationText(record, closest),
    record.certified ? steadyText(record) : "");
}

function separationText(record, closest) {
  const effects = told(measured(USUAL, closest, record.x), measuredBound(USUAL, closest, record.x));
  const strongest = byStrength(effects).filter((j) => effects[j] !== 0).slice(0, 3);
  if (!strongest.length) return [];
  const parts = strongest.map((j, k) => [k ? ", " : " ", nameOf(FACTS.features[j]), ` (${signed(effects[j])})`]);
  return [` What separates the two most, ${MEASURES[USUAL].label} each:`, ...parts.flat(), "."];
}

function leadText(record, closest) {
  const ratio = Math.exp(Math.abs(closest.odds));
  const times = ratio < 1e6 ? plainNumber(ratio, 3) : "over a million";
  const pair = [record.target, closest.rival].map((c) => nameOf(className(c)));
  const [more, less] = closest.odds >= 0 ? pair : pair.reverse();
  const whose = record.certified ? "To the model, " : "By these estimates, ";
  return [whose, more, ` is ${times} times as likely as `, less, "."];
}

// The least that each log-odds can be in the box, less what it can be off by.
function steadyText(record) {
  const box = boxOf(record);
  const halves = Array.from(box.low, (low, j) => Math.max(record.x[j] - low, box.high[j] - record.x[j]));
  const away = norm(halves.map((h, j) => h / FACTS.scale[j]));
  const steady = rivalsOf(record).every((line) => {
    const swing = halves.reduce((sum, h, j) => sum + h * Math.abs(line.D[j] || 0), 0);
    return line.odds - swing - record.floor - line.scaledBound * away > 0;
  });
  const missing = record.lines.some((_, k) => !Number.isFinite(record.odds[k]));
  if (!steady || missing) return "";
  return " Everywhere in the certified box, this row's rule decides for the explained class.";
}
