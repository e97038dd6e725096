import { createHmac, randomBytes } from 'node:crypto';
import { Secret } from './secret.ts';

/**
 * Addresses and fingerprints are kept as hashes under a key of the account: the same one is known
 * again within the account, two accounts cannot compare theirs, and without the key nobody can try
 * all four billion addresses.
 *
 * The key is random and made once per account. It is not derived from the master keys, because what is
 * derived from a key changes when that key leaves the ring: rotation would silently forget every
 * device, and no FINGERPRINT rule would fit any more. So it is kept sealed like every other secret and
 * re-wrapped when master keys change; throwing it away makes all hashes of the account meaningless.
 */
export const generateHashKey = (): Secret => new Secret(randomBytes(32).toString('base64url'));

export type HashedKind = 'address' | 'fingerprint' | 'person';

/** 43 characters that a FINGERPRINT rule can hold. Equal values of two kinds have unequal hashes. */
export const keyedHash = (key: Secret, kind: HashedKind, value: string): string =>
  createHmac('sha256', keyBytes(key)).update(`${kind}\0${value}`).digest('base64url');

const keyBytes = (key: Secret): Buffer => {
  const bytes = Buffer.from(key.reveal(), 'base64url');
  if (bytes.length !== 32) throw new Error('A hash key must be 32 bytes in base64url');
  return bytes;
};
