import type { Database, Queryable } from '../../../db/connect.ts';
import { rewrapColumn } from '../../../db/queries/rewrap-column.ts';
import { generateHashKey } from '../../../kernel/hash.ts';
import type { KeyRing, Place, SealBroken } from '../../../kernel/seal.ts';
import type { Secret } from '../../../kernel/secret.ts';
import { findHashKey, hashKeyColumn, storeFirstHashKey } from './queries.ts';

/**
 * `users` is the former name of the table. The place is part of what is sealed: under another text no
 * stored key would open.
 */
const placeOf = (accountId: string): Place => ({
  table: 'users',
  column: 'hash_key',
  rowId: accountId,
  accountId,
});

/** The key under which an account's addresses, devices and people are hashed, created at its first use. */
export const accountHashKey = async (
  db: Queryable,
  ring: KeyRing,
  accountId: string,
): Promise<Secret> => {
  const existing = await findHashKey(db, accountId);
  if (existing !== null) return openHashKey(ring, accountId, existing);
  const key = generateHashKey();
  if (await storeFirstHashKey(db, accountId, ring.seal(key, placeOf(accountId)))) return key;
  const other = await findHashKey(db, accountId);
  if (other === null) throw new Error('The account of this hash key is gone');
  return openHashKey(ring, accountId, other);
};

export const openHashKey = (ring: KeyRing, accountId: string, hashKey: string): Secret =>
  ring.open(hashKey, placeOf(accountId));

/** Seals every hash key under the ring's first key; returns how many. */
export const rewrapHashKeys = (
  db: Database,
  ring: KeyRing,
  onBroken: (error: SealBroken) => void,
): Promise<number> => rewrapColumn(db, ring, { ...hashKeyColumn, placeOf }, onBroken);
