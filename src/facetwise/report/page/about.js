// What was asked of what, when, at what cost, and how many rows are certified.

const ABOUT = FACTS.about;

function headerOf() {
  const asked = [
    "Model ", nameOf(ABOUT.model ?? "not named"),
    ABOUT.started ? [", asked on ", element("time", { datetime: ABOUT.started }, dateText(ABOUT.started))] : null,
  ].flat();
  return element("header", {},
    element("div", { class: "headline" }, element("h1", {}, element("bdi", {}, FACTS.title)), themeButton()),
    element("p", { class: "asked" }, asked),
    costOf());
}

// In the time of those who asked, not of those who read.
function dateText(iso) {
  const date = new Date(iso);
  if (Number.isNaN(date.valueOf())) return iso;
  const text = date.toLocaleString("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" });
  return `${text} UTC`;
}

function costOf() {
  const costs = [
    ["rows", FACTS.rows.toLocaleString("en")],
    ["features", D.toLocaleString("en")],
    ["questions asked", ABOUT.queries?.toLocaleString("en")],
    ["calls made", ABOUT.calls?.toLocaleString("en")],
    ["time taken", ABOUT.seconds === undefined ? undefined : duration(ABOUT.seconds)],
  ];
  const known = costs.filter(([, text]) => text !== undefined);
  return element("dl", { class: "costs" }, known.map(([name, text]) => element("div", {}, element("dt", {}, name), element("dd", {}, text))));
}

function outcomesOf() {
  const counts = FACTS.statuses.map((status, s) => ({ status, s, rows: FACTS.status.filter((other) => other === s).length }));
  const there = counts.filter(({ rows }) => rows > 0);
  const sure = there.filter(({ status }) => status.standing === "certified" || status.standing === "partly");
  const certified = sure.reduce((sum, { rows }) => sum + rows, 0);
  return element("section", { class: "outcomes", "aria-labelledby": "outcomes" },
    element("h2", { id: "outcomes" }, `${certified.toLocaleString("en")} of ${count(FACTS.rows, "row")} certified`),
    stackOf(there),
    element("p", { class: "lead" }, meaningText(certified)),
    element("ul", { class: "statuses" }, there.map(({ status, rows }) => element("li", {},
      element("span", { class: "rows" }, rows.toLocaleString("en")), markedStatus(status), element("span", { class: "plain" }, status.plain)))),
    howToRead());
}

function stackOf(there) {
  const parts = there.map(({ status, rows }) => placed(element("span", { class: status.standing }), { rows }));
  return element("div", { class: "stack", "aria-hidden": "true" }, parts);
}

function meaningText(certified) {
  const chance = 1 - ABOUT.confidence;
  const odds = chance > 0 ? ` By that check, the errors stated for a row are exceeded with a chance of at most 1 in ${Math.round(1 / chance).toLocaleString("en")}.` : "";
  const meaning =
    "For a certified row, the weights below are what the model itself computes with around that row, to within a stated error. " +
    "This was checked with questions to the model that were drawn at random after the weights had been fixed.";
  if (certified) return `${meaning}${odds}`;
  return "No weights in this report are certified. The reasons stand below.";
}

function howToRead() {
  const terms = [
    ["Weight", "How much the model's score for a class changes when one feature changes and all others stay. A positive weight speaks for the class, a negative one against it."],
    ["Score", REGRESSION ? "The model's output." : "The logarithm of how many times more likely the model holds the class than its competitors: 0 is even, +1 is 2.7 times as likely, −1 is 2.7 times less likely."],
    ["Certified box", "The surroundings of a row in which its weights were checked. Inside it, the model's answers can be recomputed in this page. Beyond it the model may follow another rule."],
    ["Typical step", "How far one feature is moved to compare it fairly with features in other units: the range of the middle half of its values in this report. It stands below the feature's name in the summary."],
    ["What a certificate does not say", "That the decision was right or fair, that a feature caused anything in the world, or what the model does elsewhere. Nor can it rule out slivers inside the box that are too thin to be met by the check."],
  ];
  const settings = [
    ["Method", ABOUT.method], ["Scores read as", ABOUT.response], ["Confidence", ABOUT.confidence], ["Seed", ABOUT.seed],
    ["Limit on questions", ABOUT.max_queries], ...Object.entries(ABOUT.versions ?? {}).map(([name, version]) => [name, version]),
  ].filter(([, value]) => value !== undefined && value !== null);
  return element("details", { class: "how" }, element("summary", {}, "How to read this report"),
    element("dl", {}, terms.map(([term, text]) => element("div", {}, element("dt", {}, term), element("dd", {}, text)))),
    element("p", { class: "settings" }, settings.map(([name, value], k) => [k ? " · " : "", `${name}: `, element("bdi", {}, String(value))]).flat()));
}
