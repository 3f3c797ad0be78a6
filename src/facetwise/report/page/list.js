// The list of rows: those in sight are drawn, the others when they come into sight.

const LINE = 38; // pixels that a row is high; the style sheet is told
const BEYOND = 8; // rows drawn outside of what is seen

class RowList {
  constructor(open) {
    this.open = open;
    this.state = { search: "", status: "", target: "", key: "row", down: false };
    this.current = -1;
    this.told = element("p", { class: "told", role: "status" });
    this.heads = element("div", { class: "heads", role: "row" }, COLUMNS.map((column) => this.head(column)));
    this.body = element("div", { class: "lines", role: "rowgroup" });
    this.grid = element("div", { class: "grid", role: "grid", tabindex: 0, "aria-label": "Rows; arrow keys move, the row in hand is shown beside", "aria-colcount": COLUMNS.length }, this.heads, this.body);
    this.node = element("div", { class: "list" }, this.filters(), this.told, this.grid);
    placed(this.node, { "line-height": `${LINE}px` });
    this.grid.addEventListener("scroll", () => this.draw(), { passive: true });
    this.grid.addEventListener("keydown", (event) => this.key(event));
    this.body.addEventListener("click", (event) => this.clicked(event));
    this.change({});
  }

  filters() {
    const search = element("input", { type: "search", placeholder: "Search rows", "aria-label": "Search rows", autocomplete: "off", spellcheck: "false", input: () => this.change({ search: search.value }) });
    const there = (numbers) => [...new Set(numbers)].sort((a, b) => a - b);
    const statuses = there(FACTS.status).map((s) => option(s, FACTS.statuses[s].title));
    const classes = there(FACTS.target).map((c) => option(c, className(c)));
    return element("div", { class: "filters" }, search,
      choice("Certainty", [option("", "any"), ...statuses], (status) => this.change({ status })),
      choice(REGRESSION ? "Output" : "Class", [option("", "any"), ...classes], (target) => this.change({ target })));
  }

  head(column) {
    const sort = () => this.change({ key: column.key, down: this.state.key === column.key && !this.state.down });
    const button = element("button", { type: "button", click: sort }, column.head);
    return element("span", { role: "columnheader", class: `cell ${column.key}`, "data-key": column.key }, button);
  }

  change(change) {
    Object.assign(this.state, change);
    this.rows = sorted(chosen(this.state), this.state);
    for (const head of this.heads.children) {
      const own = head.dataset.key === this.state.key;
      head.setAttribute("aria-sort", own ? (this.state.down ? "descending" : "ascending") : "none");
    }
    this.told.textContent = this.rows.length === FACTS.rows ? count(FACTS.rows, "row") : `${this.rows.length.toLocaleString("en")} of ${count(FACTS.rows, "row")}`;
    this.grid.setAttribute("aria-rowcount", this.rows.length + 1);
    this.grid.scrollTop = 0;
    this.draw();
  }

  draw() {
    const height = this.grid.clientHeight || 600;
    const first = Math.max(0, Math.floor(this.grid.scrollTop / LINE) - BEYOND);
    const last = Math.min(this.rows.length, first + Math.ceil(height / LINE) + 2 * BEYOND);
    this.place(first, last);
  }

  drawAll() {
    this.place(0, this.rows.length);
  }

  place(first, last) {
    placed(this.body, { before: first, after: this.rows.length - last });
    this.body.replaceChildren(...this.rows.slice(first, last).map((i, k) => this.line(i, first + k)));
    if (!this.rows.length) this.body.append(element("p", { class: "quiet none-found" }, "No rows match."));
    const drawn = this.body.querySelector("[aria-selected=true]");
    this.grid.setAttribute("aria-activedescendant", drawn?.id ?? "");
  }

  line(i, at) {
    const status = FACTS.statuses[FACTS.status[i]];
    const { text, rival } = summary(i);
    const own = FACTS.target[i] < 0 ? NOTHING : nameOf(className(FACTS.target[i]));
    const cells = [
      String(i), markedStatus(status), own, text,
      rival === undefined ? NOTHING : nameOf(className(rival)),
      status.standing === "certified" || status.standing === "partly" ? plainNumber(FACTS.radius[i] ?? NaN, 2) : NOTHING,
    ];
    return element("div", { role: "row", id: `line-${i}`, class: "line", "data-row": i, "aria-rowindex": at + 2, "aria-selected": String(i === this.current) },
      cells.map((content, c) => element("span", { role: "gridcell", class: `cell ${COLUMNS[c].key}` }, content)));
  }

  clicked(event) {
    const line = event.target.closest("[data-row]");
    if (line) this.show(Number(line.dataset.row));
  }

  key(event) {
    if (event.target !== this.grid) return;
    const page = Math.max(1, Math.floor(this.grid.clientHeight / LINE) - 2);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (!(event.key in steps) || !this.rows.length) return;
    event.preventDefault();
    const at = this.rows.indexOf(this.current) + steps[event.key];
    this.show(this.rows[Math.min(Math.max(at, 0), this.rows.length - 1)]);
  }

  show(i) {
    this.current = i;
    const at = this.rows.indexOf(i);
    const top = at * LINE;
    const seen = this.grid.clientHeight - LINE; // below the heads
    if (at >= 0 && top < this.grid.scrollTop) this.grid.scrollTop = top;
    if (at >= 0 && top + LINE > this.grid.scrollTop + seen) this.grid.scrollTop = top + LINE - seen;
    this.draw();
    this.open(i);
  }
}
