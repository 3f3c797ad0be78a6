// Numbers as people read them.

const NOTHING = "–";
const MINUS = "\u2212";
const RAISED = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

function plainNumber(value, digits = 4) {
  if (!Number.isFinite(value)) return NOTHING;
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-3 || size >= 1e7) return powerOfTen(value, Math.min(digits, 3));
  if (size < 0.01) digits = Math.min(digits, 3);
  // Whole digits are never rounded away: 1234567 is no 1235000.
  const whole = Math.floor(Math.log10(size)) + 1;
  const text = value.toLocaleString("en", { maximumSignificantDigits: Math.max(digits, whole, 1) });
  return text.replace("-", MINUS);
}

function powerOfTen(value, digits) {
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
  const raised = [...String(Number(exponent))].map((c) => RAISED[c]).join("");
  const short = String(Number(mantissa)).replace("-", MINUS);
  return short === "1" ? `10${raised}` : `${short} × 10${raised}`;
}

function signed(value, digits = 3) {
  return value > 0 ? `+${plainNumber(value, digits)}` : plainNumber(value, digits);
}

// A bound is never shown smaller than it is.
function atMost(bound) {
  if (!Number.isFinite(bound)) return NOTHING;
  if (bound === 0) return "0";
  const step = 10 ** (Math.floor(Math.log10(bound)) - 1);
  const up = Number((Math.ceil(bound / step) * step).toPrecision(2));
  return plainNumber(up < bound ? Number((up + step).toPrecision(2)) : up, 2);
}

function percent(share) {
  if (!Number.isFinite(share)) return NOTHING;
  const hundred = 100 * share;
  if (hundred > 0 && hundred < 0.01) return "below 0.01 %";
  if (hundred < 100 && hundred > 99.99) return "above 99.99 %";
  return `${hundred.toFixed(hundred < 1 || hundred > 99 ? 2 : 1)} %`;
}

function count(number, one, many = `${one}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

function duration(seconds) {
  if (seconds < 1) return "less than a second";
  if (seconds < 120) return count(Math.round(seconds), "second");
  if (seconds < 7200) return count(Math.round(seconds / 60), "minute");
  return `${plainNumber(seconds / 3600, 2)} hours`;
}
