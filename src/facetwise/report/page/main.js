// The page: what was asked, how it ended, what drives each class, and every row.

function main() {
  const report = document.getElementById("report");
  const place = element("div", { class: "place" });
  const spoken = element("p", { class: "hidden", role: "status" });
  const rows = element("section", { class: "rows", "aria-labelledby": "rows" }, element("h2", { id: "rows" }, "Row by row"));
  report.append(headerOf(), outcomesOf(), rows);
  if (!FACTS.rows) {
    rows.append(element("p", { class: "quiet" }, "There are no rows in this report."));
    return;
  }
  const list = new RowList((i) => {
    const record = recordOf(i);
    place.replaceChildren(detailOf(record));
    spoken.textContent = `Row ${i}: ${record.status.title}`;
    remember(i);
  });
  rows.append(spoken, element("div", { class: "explorer" }, list.node, place));
  addressed(list);
  addEventListener("hashchange", () => addressed(list));
  addEventListener("beforeprint", () => unfold(list));
  addEventListener("afterprint", () => list.draw());
  // The summary looks at every row, so it comes after the first paint.
  requestAnimationFrame(() => setTimeout(() => {
    const drivers = driversOf();
    if (drivers) rows.before(drivers);
  }));
}

let remembering = 0;

// In the address, once the reader rests: browsers limit how often it may change.
function remember(i) {
  clearTimeout(remembering);
  remembering = setTimeout(() => history.replaceState(null, "", `#row=${i}`), 500);
}

// Paper has nothing to scroll or to open.
function unfold(list) {
  list.drawAll();
  document.querySelectorAll("details").forEach((details) => (details.open = true));
}

// The row that the address names, or the first.
function addressed(list) {
  const named = Number(/^#row=(\d+)$/.exec(location.hash)?.[1] ?? 0);
  list.show(named < FACTS.rows ? named : 0);
}

main();
