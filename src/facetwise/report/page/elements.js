// Elements are made one by one, and text is only ever text.

const SVG = "http://www.w3.org/2000/svg";

function element(tag, attributes = {}, ...children) {
  return furnished(document.createElement(tag), attributes, children);
}

function drawing(tag, attributes = {}, ...children) {
  return furnished(document.createElementNS(SVG, tag), attributes, children);
}

function furnished(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children.flat().filter((child) => child != null));
  return node;
}

// A name may be written in any direction, and must not reorder what is beside it.
function nameOf(text) {
  return element("bdi", { class: "name", title: text }, text);
}

// A number for people, and the same one to the last digit for machines.
function datum(value, text, attributes = {}) {
  return element("data", { ...attributes, value: String(value) }, text);
}

function option(value, text) {
  return element("option", { value }, text);
}

function choice(label, options, onchange) {
  const select = element("select", { change: () => onchange(select.value) }, options);
  return element("label", { class: "choice" }, element("span", {}, label), select);
}

// Some positions can be had from a stylesheet by numbers alone.
function placed(node, numbers) {
  for (const [name, value] of Object.entries(numbers)) node.style.setProperty(`--${name}`, value);
  return node;
}
