import { z } from 'zod';
import { snowflakeAt } from './snowflakes.ts';

const largestSnowflake = 2n ** 64n - 1n;

/** The id as the platform writes it, or undefined when the text is not a snowflake. */
export const parseSnowflake = (text: string): string | undefined => {
  if (!/^\d{1,20}$/.test(text)) return undefined;
  const number = BigInt(text);
  return number > 0n && number <= largestSnowflake ? number.toString() : undefined;
};

/** At the door: text in, the one way of writing that id out. */
export const snowflake = z.string().transform((text, context) => {
  const id = parseSnowflake(text);
  if (id !== undefined) return id;
  context.addIssue({ code: 'custom', message: 'is not a snowflake' });
  return z.NEVER;
});

const firstYear = Date.UTC(2016, 0);
const yearsMs = 8 * 365 * 86_400_000;

/** A snowflake that looks made in the platform's first years, always the same for the same text. */
export const snowflakeFromText = (text: string): string => {
  const hash = sha256Hex(text);
  const offsetMs = Number.parseInt(hash.slice(0, 12), 16) % yearsMs;
  return snowflakeAt(firstYear + offsetMs, Number.parseInt(hash.slice(12, 18), 16));
};

export const sha256Hex = (text: string): string =>
  new Bun.CryptoHasher('sha256').update(text).digest('hex');
