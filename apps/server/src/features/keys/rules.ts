import { accountLimits } from '@holdfast/contract';

/**
 * A key is `holdfast_` and 44 base62 characters: 38 random ones, then the CRC-32 of those in six.
 * The checksum finds a typo without a query. Only the SHA-256 of a key is stored.
 */
const prefix = 'holdfast_';
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomLength = 38;
const checksumLength = 6;

export const tooManyKeys = `An account has at most ${accountLimits.liveKeys} live keys: revoke one first`;

const keyPattern = /^holdfast_[0-9A-Za-z]{44}$/;

/** `randomBytes` gives that many random bytes; injected, since rules do no I/O. */
export const generateKey = (randomBytes: (count: number) => Uint8Array): string => {
  const random = randomCharacters(randomBytes);
  return `${prefix}${random}${checksum(random)}`;
};

export const isWellFormedKey = (key: string): boolean => {
  if (!keyPattern.test(key)) return false;
  const body = key.slice(prefix.length);
  return checksum(body.slice(0, randomLength)) === body.slice(randomLength);
};

/** Bytes above the largest multiple of 62 are drawn again, so that all characters are equally likely. */
const randomCharacters = (randomBytes: (count: number) => Uint8Array): string => {
  const fairBytes = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < randomLength) {
    for (const byte of randomBytes(randomLength)) {
      if (byte < fairBytes && text.length < randomLength) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
};

const checksum = (text: string): string => {
  let rest = Bun.hash.crc32(text);
  let digits = '';
  while (digits.length < checksumLength) {
    digits = alphabet[rest % alphabet.length] + digits;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
};
