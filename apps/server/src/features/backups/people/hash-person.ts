import { keyedHash } from '../../../kernel/keyed-hash.ts';
import type { Secret } from '../../../kernel/secret.ts';

/** A person under an account's key: the whole hash, and its first 64 bits for the index. */
export type PersonHash = { personHash: string; indexHash: bigint };

export const hashPerson = (key: Secret, platformId: string): PersonHash => {
  const personHash = keyedHash(key, 'person', platformId);
  return { personHash, indexHash: Buffer.from(personHash, 'base64url').readBigInt64BE() };
};
