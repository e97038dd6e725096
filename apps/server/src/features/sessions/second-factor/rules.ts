import { TOTP, Secret as TotpSecret } from 'otpauth';
import type { Secret } from '../../../kernel/secret.ts';

/**
 * The second factor of an account is absent, then pending (it has a secret), then enabled (a first code
 * of that secret was entered), then absent again. While it is enabled, the sign-in and every dangerous
 * change require a code. Five wrong codes in a row lock it for a quarter of an hour.
 */
export const wrongCodesAllowed = 5;
export const lockedMs = 15 * 60 * 1000;
/** A confirmation is for the changes right after it. */
export const confirmedMs = 2 * 60 * 1000;

export const recoveryCodeCount = 10;

const stepSeconds = 30;
const issuer = 'Holdfast';

const totpOf = (secret: Secret, label = ''): TOTP =>
  new TOTP({ issuer, label, period: stepSeconds, secret: TotpSecret.fromBase32(secret.reveal()) });

export const newTotpSecret = (): string => new TotpSecret({ size: 20 }).base32;

/** The content of the QR code for the authenticator. */
export const totpUri = (secret: Secret, label: string): string => totpOf(secret, label).toString();

/** The half minute of the code, if it is near `now` and after `lastStep`. */
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

/** Sixteen characters, none easily confused with another, in groups of four: 80 bits. */
export const newRecoveryCode = (randomBytes: Uint8Array): string =>
  Array.from(randomBytes.subarray(0, 16), (byte) => recoveryAlphabet[byte % 32])
    .join('')
    .replace(/(.{4})(?=.)/g, '$1-');

/** As it was generated, whatever the case and separators that were typed. */
export const normalizeRecoveryCode = (code: string): string =>
  code.toUpperCase().replace(/[^A-Z0-9]/g, '');
