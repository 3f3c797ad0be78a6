// Numbers of a row, decoded from base64 when somebody wants to see them.

const WHOLE = 3; // numbers that rows are filled up to a multiple of (packing.py)

class Rows {
  constructor(id, width, Numbers = Float64Array) {
    this.text = document.getElementById(id)?.textContent ?? "";
    this.width = width;
    this.Numbers = Numbers;
    const bytes = Math.ceil(width / WHOLE) * WHOLE * Numbers.BYTES_PER_ELEMENT;
    this.characters = (bytes / 3) * 4;
  }

  row(i) {
    const start = i * this.characters;
    const binary = atob(this.text.slice(start, start + this.characters));
    const view = new DataView(Uint8Array.from(binary, (c) => c.charCodeAt(0)).buffer);
    const numbers = new this.Numbers(this.width);
    const size = numbers.BYTES_PER_ELEMENT;
    const read = size === 8 ? "getFloat64" : "getFloat32";
    // The file is little-endian whatever the machine is.
    for (let j = 0; j < this.width; j++) numbers[j] = view[read](j * size, true);
    return numbers;
  }
}
