/**
 * Address ranges, each with a number, in typed arrays: half a million ranges take nine megabytes and are
 * found by binary search. Where ranges overlap, the one that starts last wins, and of those that start
 * together the shortest: the most specific, as in routing.
 */
export type RangeTable = {
  readonly size: number;
  readonly sizeBytes: number;
  find(address: Uint32Array): number | null;
};

type RangeTableBuilder = {
  /** Both ends belong to the range. The arguments are copied. */
  add(first: Uint32Array, last: Uint32Array, value: number): void;
  finish(): RangeTable;
};

type Columns = { firsts: Uint32Array; lasts: Uint32Array; values: Uint32Array };

const leastCapacity = 1024;

/** For addresses of `width` words: 1 for IPv4, 4 for IPv6. */
export const createRangeTableBuilder = (width: 1 | 4): RangeTableBuilder => {
  let columns = createColumns(leastCapacity, width);
  let size = 0;
  let isSorted = true;

  return {
    add(first, last, value) {
      if (size === columns.values.length) columns = resized(columns, size * 2, width);
      const { firsts, lasts, values } = columns;
      for (let word = 0; word < width; word += 1) {
        firsts[size * width + word] = first[word] ?? 0;
        lasts[size * width + word] = last[word] ?? 0;
      }
      values[size] = value;
      if (size > 0 && inOrder(columns, size - 1, size, width) > 0) isSorted = false;
      size += 1;
    },
    finish() {
      const packed = resized(columns, size, width);
      return createTable(isSorted ? packed : sorted(packed, width), width);
    },
  };
};

const createTable = (columns: Columns, width: number): RangeTable => {
  const { firsts, lasts, values } = columns;
  const reach = reachOf(columns, width);
  const arrays = new Set([firsts, lasts, values, reach]);

  return {
    size: values.length,
    sizeBytes: [...arrays].reduce((sum, array) => sum + array.byteLength, 0),
    find(address) {
      let row = lastStartingBy(address, firsts, width);
      while (row >= 0 && compare(reach, row, address, 0, width) >= 0) {
        if (compare(lasts, row, address, 0, width) >= 0) return values[row] ?? null;
        row -= 1;
      }
      return null;
    },
  };
};

/** The last row that starts at or before the address; -1 where there is none. */
const lastStartingBy = (address: Uint32Array, firsts: Uint32Array, width: number): number => {
  let low = 0;
  let high = firsts.length / width;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(firsts, middle, address, 0, width) <= 0) low = middle + 1;
    else high = middle;
  }
  return low - 1;
};

/**
 * For each row, the highest end of it and all rows before it: a search backwards stops where that is
 * below the address. Without overlaps it is the end of the row itself and needs no array of its own.
 */
const reachOf = ({ firsts, lasts, values }: Columns, width: number): Uint32Array => {
  let reach = lasts;
  for (let row = 1; row < values.length; row += 1) {
    if (compare(reach, row - 1, firsts, row, width) < 0) continue;
    if (compare(reach, row - 1, reach, row, width) <= 0) continue;
    if (reach === lasts) reach = lasts.slice();
    reach.copyWithin(row * width, (row - 1) * width, row * width);
  }
  return reach;
};

const createColumns = (capacity: number, width: number): Columns => ({
  firsts: new Uint32Array(capacity * width),
  lasts: new Uint32Array(capacity * width),
  values: new Uint32Array(capacity),
});

const resized = (columns: Columns, capacity: number, width: number): Columns => {
  const larger = createColumns(capacity, width);
  larger.firsts.set(columns.firsts.subarray(0, capacity * width));
  larger.lasts.set(columns.lasts.subarray(0, capacity * width));
  larger.values.set(columns.values.subarray(0, capacity));
  return larger;
};

const sorted = (columns: Columns, width: number): Columns => {
  const order = Uint32Array.from(columns.values, (_, row) => row);
  order.sort((one, other) => inOrder(columns, one, other, width));
  const result = createColumns(order.length, width);
  order.forEach((from, to) => {
    const words = [from * width, (from + 1) * width] as const;
    result.firsts.set(columns.firsts.subarray(...words), to * width);
    result.lasts.set(columns.lasts.subarray(...words), to * width);
    result.values[to] = columns.values[from] ?? 0;
  });
  return result;
};

/** By their start; of equals the longer one first. */
const inOrder = ({ firsts, lasts }: Columns, one: number, other: number, width: number): number =>
  compare(firsts, one, firsts, other, width) || compare(lasts, other, lasts, one, width);

const compare = (
  left: Uint32Array,
  leftRow: number,
  right: Uint32Array,
  rightRow: number,
  width: number,
): number => {
  for (let word = 0; word < width; word += 1) {
    const difference = (left[leftRow * width + word] ?? 0) - (right[rightRow * width + word] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
};
