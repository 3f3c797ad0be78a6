// All features of a row, the strongest first.

const SHOWN = 10;

class FeatureTable {
  constructor(whatif) {
    this.whatif = whatif;
    this.shown = SHOWN;
    this.picked = [];
    this.drawn = new AbortController();
    this.node = element("div", { class: "features" });
  }

  // `line` is what bars are of: the row's own weights, or those against one rival.
  draw(line, measure) {
    Object.assign(this, { line, measure });
    this.drawn.abort(); // sliders that are gone need not follow
    this.drawn = new AbortController();
    const { record } = this.whatif;
    const bounds = measuredBound(measure, line, record.x);
    const effects = told(measured(measure, line, record.x), bounds);
    this.effects = effects;
    const order = this.order(effects);
    const most = extent(effects);
    this.node.replaceChildren(
      element("table", {}, this.head(),
        element("tbody", {}, order.map((j) => featureLine(j, this.whatif, { effects, bounds, most, signal: this.drawn.signal })))),
      this.more(order.length),
    );
    this.node.classList.toggle("uncertain", !record.certified);
  }

  // Those that were picked, then the strongest, then those that were not moved.
  order(effects) {
    const unmoved = [...effects.keys()].filter((j) => !Number.isFinite(effects[j]));
    const all = new Set([...this.picked, ...byStrength(effects), ...unmoved]);
    return [...all].slice(0, this.shown + this.picked.length);
  }

  pick(features) {
    this.picked = [...new Set([...features, ...this.picked])];
    this.draw(this.line, this.measure);
  }

  head() {
    const names = ["Feature", "Value", "", MEASURES[this.measure].head, "What if"];
    return element("thead", {}, element("tr", {}, names.map((text) => element("th", { scope: "col" }, text))));
  }

  more(drawn) {
    const left = D - drawn;
    if (left <= 0) return element("p", { class: "quiet" }, `All ${count(D, "feature")} shown.`);
    const next = Math.min(left, 50);
    const show = () => {
      this.shown += next;
      this.draw(this.line, this.measure);
    };
    return element("button", { type: "button", class: "more", click: show }, `Show ${next === left ? `all ${D}` : `${next} more of ${D}`} features`);
  }
}
