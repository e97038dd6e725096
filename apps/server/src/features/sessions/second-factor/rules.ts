import { TOTP, Secret as TotpSecret } from 'otpauth';
import type { Secret } from '../../../kernel/secret.ts';

/**
 * A second factor is begun (a secret is there, nothing is asked for), then on (a code made with it
 * came back), then off again (nothing of it is left). While it is on, signing in asks for a code and
 * so does every dangerous act. Five wrong codes in a row lock it for a quarter of an hour.
 */
export const wrongCodesAllowed = 5;
export const lockedMs = 15 * 60 * 1000;
/** A confirmation is for what comes right after it. */
export const confirmedMs = 2 * 60 * 1000;

export const recoveryCodeCount = 10;

const stepSeconds = 30;
const issuer = 'Holdfast';

const totpOf = (secret: Secret, label = ''): TOTP =>
  new TOTP({ issuer, label, period: stepSeconds, secret: TotpSecret.fromBase32(secret.reveal()) });

export const newTotpSecret = (): string => new TotpSecret({ size: 20 }).base32;

/** What a QR code shows to the authenticator. */
export const totpUri = (secret: Secret, label: string): string => totpOf(secret, label).toString();

/** Which half minute the code is of, if of one around now that is after `lastStep`. */
export const stepOfCode = (
  secret: Secret,
  code: string,
  { now, lastStep }: { now: Date; lastStep: number },
): number | undefined => {
  if (!/^\d{6}$/.test(code)) return undefined;
  const timestamp = now.getTime();
  const delta = totpOf(secret).validate({ token: code, timestamp, window: 1 });
  if (delta === null) return undefined;
  const step = Math.floor(timestamp / 1000 / stepSeconds) + delta;
  return step > lastStep ? step : undefined;
};

const recoveryAlphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/** Sixteen characters that are not mistaken for each other, in fours: 80 bits. */
export const newRecoveryCode = (randomBytes: Uint8Array): string =>
  Array.from(randomBytes.subarray(0, 16), (byte) => recoveryAlphabet[byte % 32])
    .join('')
    .replace(/(.{4})(?=.)/g, '$1-');

/** As it was given out, however it was typed. */
export const plainRecoveryCode = (code: string): string =>
  code.toUpperCase().replace(/[^A-Z0-9]/g, '');
