const PLATFORM_EPOCH_MS = 1_420_070_400_000n;
const TIME_SHIFT = 22n;
/** Worker and process, as in real ids: an id a tester makes of the bare time cannot be one of ours. */
const MAKER_BITS = (21n << 17n) | (13n << 12n);

/** Ids made of time; strictly increasing even within one millisecond or when the clock steps back. */
export const createSnowflakes = (now: () => number = Date.now) => {
  let last = 0n;
  return {
    next: (): string => {
      const fromClock = ((BigInt(now()) - PLATFORM_EPOCH_MS) << TIME_SHIFT) | MAKER_BITS;
      last = fromClock > last ? fromClock : last + 1n;
      return last.toString();
    },
  };
};

export const snowflakeAt = (timeMs: number, low22Bits: number): string =>
  (((BigInt(timeMs) - PLATFORM_EPOCH_MS) << TIME_SHIFT) | BigInt(low22Bits & 0x3fffff)).toString();

export const timeOfSnowflake = (id: string): number =>
  Number((BigInt(id) >> TIME_SHIFT) + PLATFORM_EPOCH_MS);

export const isSnowflake = (text: string): boolean => /^\d{1,20}$/.test(text);

/** Numeric order without the cost of BigInt: ids have no leading zeros. */
export const compareSnowflakes = (a: string, b: string): number => {
  if (a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
};
