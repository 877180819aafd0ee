// How numbers are written for people.

// "64 KiB": a power of 1024 that leaves no more than one decimal.
function bytesText(bytes) {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  let value = bytes;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  if (unit === 0) return bytes === 1 ? "1 byte" : `${value} bytes`;
  return `${Number.isInteger(value) ? value : value.toFixed(1)} ${units[unit]}`;
}

// Whether an offset is exact in a short form.
function isRound(offset) {
  return offset < 1024 || offset % 1024 === 0;
}

// An offset as an axis shows it, always exact: 384 KiB, 1.5 MiB and 4100 KiB, else in hexadecimal digits.
function offsetText(offset) {
  if (offset < 1024) return String(offset);
  if (!isRound(offset)) return `0x${offset.toString(16)}`;
  const unit = [2 ** 40, 2 ** 30, 2 ** 20].find((size) => offset >= size && Number.isInteger(2 * offset / size));
  return unit ? bytesText(offset) : `${offset / 1024} KiB`;
}

// Both ends in one notation.
function rangeText(from, to) {
  return isRound(from) && isRound(to) ? `[${offsetText(from)}, ${offsetText(to)})` : `[0x${from.toString(16)}, 0x${to.toString(16)})`;
}

// Nanoseconds in the unit that suits `scale`, which the value itself may be.
function timeText(nanoseconds, scale) {
  const size = Math.abs(scale === undefined ? nanoseconds : scale);
  const [unit, factor] = size < 1e3 ? ["ns", 1] : size < 1e6 ? ["µs", 1e3] : size < 1e9 ? ["ms", 1e6] : ["s", 1e9];
  const value = nanoseconds / factor;
  const digits = Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return `${value.toFixed(digits)} ${unit}`;
}

function countText(count, one, many) {
  const number = count.toLocaleString("en");
  return `${number} ${count === 1 ? one : many || `${one}s`}`;
}

// "a, b and c"
function listText(words) {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
