import { createHmac, randomBytes } from 'node:crypto';
import { Secret } from './secret.ts';

/**
 * Addresses and fingerprints are stored as hashes under a key of the account: a returning device is
 * recognized within the account, two accounts cannot compare theirs, and without the key the four
 * billion IPv4 addresses cannot be tried out.
 *
 * The key is random, one per account, and not derived from the master keys: a derived key would change
 * when its master key leaves the ring, so that rotation would lose every device and no FINGERPRINT rule
 * would match any more. It is stored sealed and rewrapped like every other secret; deleting it makes
 * all hashes of the account meaningless.
 */
export const generateHashKey = (): Secret => new Secret(randomBytes(32).toString('base64url'));

type HashedKind = 'address' | 'fingerprint' | 'person';

/** 43 characters that a FINGERPRINT rule can hold. The kind is part of the input. */
export const keyedHash = (key: Secret, kind: HashedKind, value: string): string =>
  createHmac('sha256', keyBytes(key)).update(`${kind}\0${value}`).digest('base64url');

const keyBytes = (key: Secret): Buffer => {
  const bytes = Buffer.from(key.reveal(), 'base64url');
  if (bytes.length !== 32) throw new Error('A hash key must be 32 bytes in base64url');
  return bytes;
};

export const sha256Hex = (content: string | Uint8Array): string =>
  new Bun.CryptoHasher('sha256').update(content).digest('hex');

export const sha256Base64 = (content: string): string =>
  new Bun.CryptoHasher('sha256').update(content).digest('base64');
