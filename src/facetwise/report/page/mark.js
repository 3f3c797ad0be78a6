// How far a row can be relied on, as a shape and not by colour alone.

const SHAPES = {
  certified: () => [drawing("circle", { cx: 6, cy: 6, r: 5, class: "full" })],
  partly: () => [
    drawing("circle", { cx: 6, cy: 6, r: 4.25, class: "stroke" }),
    drawing("path", { d: "M6 1a5 5 0 0 0 0 10z", class: "full" }),
  ],
  estimate: () => [drawing("circle", { cx: 6, cy: 6, r: 4.25, class: "stroke dashed" })],
  none: () => [drawing("path", { d: "M2.5 2.5l7 7m0-7l-7 7", class: "stroke" })],
};

function mark(standing) {
  const attributes = { class: `mark ${standing}`, viewBox: "0 0 12 12", "aria-hidden": "true" };
  return drawing("svg", attributes, SHAPES[standing]());
}

function markedStatus(status) {
  return element("span", { class: "status" }, mark(status.standing), element("span", { class: "words", title: status.title }, status.title));
}
