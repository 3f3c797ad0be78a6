// Instances and weights as pictures, for rows that are images.

const RED = [200, 45, 66];
const BLUE = [36, 104, 190];
// The picture is drawn larger by whole pixels, so that printers do not blur it.
const CANVAS = 280;

function canvasOf(label, colourAt) {
  const [height, width] = FACTS.image;
  const zoom = Math.max(1, Math.floor(CANVAS / Math.max(height, width)));
  const canvas = element("canvas", { width: width * zoom, height: height * zoom, role: "img", "aria-label": label });
  const context = canvas.getContext("2d");
  const image = context.createImageData(width * zoom, height * zoom);
  for (let y = 0; y < height * zoom; y++) {
    for (let x = 0; x < width * zoom; x++) {
      const pixel = Math.floor(y / zoom) * width + Math.floor(x / zoom);
      image.data.set(colourAt(pixel), 4 * (y * width * zoom + x));
    }
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

function pictureOf(x, label) {
  const channels = FACTS.image[2];
  const [least, most] = pixelRange();
  const grey = (v) => (255 * (v - least)) / (most - least || 1);
  return canvasOf(label, (pixel) => {
    const at = (c) => grey(x[pixel * channels + Math.min(c, channels - 1)]);
    return [at(0), at(1), at(2), 255];
  });
}

// Red where more raises the score, blue where more lowers it; channels are added up.
function heatOf(effects, label) {
  const pixels = heatValues(effects);
  const most = extent(pixels);
  return canvasOf(label, (pixel) => {
    const share = pixels[pixel] / most;
    return [...(share > 0 ? RED : BLUE), 255 * Math.abs(share) ** 0.7];
  });
}

function heatValues(effects) {
  const [height, width, channels] = FACTS.image;
  const sum = (pixel) => {
    let total = 0;
    for (let c = 0; c < channels; c++) total += effects[pixel * channels + c] || 0;
    return total;
  };
  return Array.from({ length: height * width }, (_, pixel) => sum(pixel));
}

let range = null;

function pixelRange() {
  if (range === null) {
    const spans = Array.from({ length: D }, (_, j) => spanOf(j));
    range = [least(spans.map(([a]) => a)), largest(spans.map(([, b]) => b))];
  }
  return range;
}

// A picture beside its heat map; a click, or the arrow keys, pick a pixel.
function picturesOf(record, effects, pick) {
  const heat = heatOf(effects, `Weights of ${D} pixels. Arrow keys walk over them, Enter picks one.`);
  heat.tabIndex = 0;
  const told = element("output", { class: "pixel" }, "Point at a pixel, or walk with the arrow keys.");
  const cursor = new Cursor(heat, (feature) => {
    told.textContent = `${FACTS.features[feature]}: value ${shownValue(feature, record.x[feature])}, ${signed(effects[feature])}`;
  }, pick);
  return element("div", { class: "pictures" },
    element("figure", {}, pictureOf(record.x, "The image"), element("figcaption", {}, "The image")),
    element("figure", { class: record.certified ? "" : "uncertain" },
      element("div", { class: "walked" }, heat, cursor.frame),
      element("figcaption", {}, legend(), told)),
  );
}

function legend() {
  return element("span", { class: "legend" },
    element("i", { class: "down" }), "lowers", element("i", { class: "up" }), "raises the score");
}

class Cursor {
  constructor(canvas, show, pick) {
    this.frame = element("span", { class: "cursor", hidden: true });
    this.show = show;
    this.pick = pick;
    this.pixel = 0;
    canvas.addEventListener("pointermove", (event) => this.move(this.under(event)));
    canvas.addEventListener("click", (event) => this.choose(this.under(event)));
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  under(event) {
    const [height, width] = FACTS.image;
    const box = event.currentTarget.getBoundingClientRect();
    const column = Math.floor(((event.clientX - box.left) / box.width) * width);
    const line = Math.floor(((event.clientY - box.top) / box.height) * height);
    const within = (v, most) => Math.min(Math.max(v, 0), most - 1);
    return within(line, height) * width + within(column, width);
  }

  key(event) {
    const [height, width] = FACTS.image;
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -width, ArrowDown: width };
    if (event.key === "Enter") this.choose(this.pixel);
    else if (event.key in steps) {
      const to = this.pixel + steps[event.key];
      if (to >= 0 && to < height * width) this.move(to);
    } else return;
    event.preventDefault();
  }

  move(pixel) {
    const [height, width, channels] = FACTS.image;
    this.pixel = pixel;
    this.frame.hidden = false;
    const line = Math.floor(pixel / width);
    placed(this.frame, { x: (pixel % width) / width, y: line / height, w: 1 / width, h: 1 / height });
    this.show(pixel * channels);
  }

  choose(pixel) {
    this.move(pixel);
    const channels = FACTS.image[2];
    this.pick(Array.from({ length: channels }, (_, c) => pixel * channels + c));
  }
}
