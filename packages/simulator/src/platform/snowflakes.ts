import { z } from 'zod';

const PLATFORM_EPOCH_MS = 1_420_070_400_000n;
const TIME_SHIFT = 22n;
/** Worker and process bits, as in real ids: an id that a test makes from the bare time cannot collide. */
const MAKER_BITS = (21n << 17n) | (13n << 12n);

/** Ids from the clock, strictly increasing even within a millisecond or when the clock steps back. */
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

const MAX_SNOWFLAKE = 2n ** 64n - 1n;

/** The id as the platform writes it, or undefined when the text is not a snowflake. */
export const parseSnowflake = (text: string): string | undefined => {
  if (!isSnowflake(text)) return undefined;
  const number = BigInt(text);
  return number > 0n && number <= MAX_SNOWFLAKE ? number.toString() : undefined;
};

/** Parses text to the canonical spelling of the id. */
export const snowflake = z.string().transform((text, context) => {
  const id = parseSnowflake(text);
  if (id !== undefined) return id;
  context.addIssue({ code: 'custom', message: 'is not a snowflake' });
  return z.NEVER;
});

const firstYear = Date.UTC(2016, 0);
const yearsMs = 8 * 365 * 86_400_000;

/** A plausible snowflake, always the same for the same text. */
export const snowflakeFromText = (text: string): string => {
  const hash = sha256Hex(text);
  const offsetMs = Number.parseInt(hash.slice(0, 12), 16) % yearsMs;
  return snowflakeAt(firstYear + offsetMs, Number.parseInt(hash.slice(12, 18), 16));
};

export const sha256Hex = (text: string): string =>
  new Bun.CryptoHasher('sha256').update(text).digest('hex');
