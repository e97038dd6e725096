import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Secret } from '../../../kernel/secret.ts';

const toleranceSeconds = 300;
/** The provider sends one for each secret in use: two while a secret is being replaced. */
const maxSignatures = 100;

type SignedBody = { header: string; body: Uint8Array };

/**
 * Returns when the provider signed the body, in Unix seconds; undefined without a valid signature made
 * within five minutes before or after now. One valid `v1` of several is enough; other schemes are ignored.
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
  const isValid = valuesOf(parts, 'v1').slice(0, maxSignatures).map(isEqualTo(expected));
  const ageSeconds = Math.floor(now.getTime() / 1000) - Number(time);
  const isInTime = Math.abs(ageSeconds) <= toleranceSeconds;
  return isInTime && isValid.includes(true) ? Number(time) : undefined;
};

const valuesOf = (parts: string[], name: string): string[] =>
  parts.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1));

const isEqualTo =
  (expected: Buffer) =>
  (signature: string): boolean =>
    /^[0-9a-f]{64}$/.test(signature) && timingSafeEqual(Buffer.from(signature, 'hex'), expected);
