import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Secret } from '../../../kernel/secret.ts';

const toleranceSeconds = 300;
/** The provider sends one for each secret that is in use: two while one is replaced. */
const mostSignatures = 100;

type SignedBody = { header: string; body: Uint8Array };

/**
 * When the provider signed this, in Unix seconds; undefined where it did not, or not within five
 * minutes of now, before or after. Of several `v1` any good one is enough; other schemes say nothing.
 */
export const verifySignature = (
  secret: Secret,
  { header, body }: SignedBody,
  now: Date,
): number | undefined => {
  const parts = header.split(',').map((part) => part.trim());
  const [time, ...otherTimes] = valuesOf(parts, 't');
  if (time === undefined || otherTimes.length > 0 || !/^\d{1,12}$/.test(time)) return undefined;
  const expected = createHmac('sha256', secret.reveal()).update(`${time}.`).update(body).digest();
  const isGenuine = valuesOf(parts, 'v1').slice(0, mostSignatures).map(isEqualTo(expected));
  const ageSeconds = Math.floor(now.getTime() / 1000) - Number(time);
  const isInTime = Math.abs(ageSeconds) <= toleranceSeconds;
  return isInTime && isGenuine.includes(true) ? Number(time) : undefined;
};

const valuesOf = (parts: string[], name: string): string[] =>
  parts.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1));

const isEqualTo =
  (expected: Buffer) =>
  (signature: string): boolean =>
    /^[0-9a-f]{64}$/.test(signature) && timingSafeEqual(Buffer.from(signature, 'hex'), expected);
