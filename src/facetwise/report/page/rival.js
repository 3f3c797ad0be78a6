// The closest competing class, and what separates it from the class explained.

function rivalText(record) {
  const [closest] = rivalsOf(record);
  if (!closest) return null;
  const effects = told(measured(USUAL, closest, record.x), measuredBound(USUAL, closest, record.x));
  const strongest = byStrength(effects).filter((j) => effects[j] !== 0).slice(0, 3);
  const parts = strongest.map((j, k) => [k ? ", " : " ", nameOf(FACTS.features[j]), ` (${signed(effects[j])})`]);
  return element("p", { class: "closest" },
    element("strong", {}, "Closest competitor: ", nameOf(className(closest.rival))), ". ",
    leadText(record, closest),
    strongest.length ? ` What separates the two most, ${MEASURES[USUAL].label} each:` : "", parts.flat(), ".",
    record.certified ? element("span", { class: "steady" }, steadyText(record)) : null);
}

function leadText(record, closest) {
  const times = Math.exp(Math.abs(closest.odds));
  const text = times < 1e6 ? plainNumber(times, 3) : "over a million";
  const how = record.standing === "estimate" ? "by these estimates " : "";
  return closest.odds >= 0
    ? `The model holds the explained class ${how}for ${text} times as likely.`
    : `The model holds the competitor ${how}for ${text} times as likely as the explained class.`;
}

// The least that each log-odds can be in the box, less what it can be off by.
function steadyText(record) {
  const box = boxOf(record);
  const halves = Array.from(box.low, (low, j) => Math.max(record.x[j] - low, box.high[j] - record.x[j]));
  const away = Math.hypot(...halves.map((h, j) => h / FACTS.scale[j]));
  const steady = rivalsOf(record).every((line) => {
    const swing = halves.reduce((sum, h, j) => sum + h * Math.abs(line.D[j] || 0), 0);
    return line.odds - swing - record.floor - line.scaledBound * away > 0;
  });
  const missing = record.lines.some((_, k) => !Number.isFinite(record.odds[k]));
  if (!steady || missing) return "";
  return " Everywhere in the certified box, this row's rule decides for the explained class.";
}
