import type { Database, Queryable } from '../../db/connect.ts';
import { generateHashKey } from '../../kernel/keyed-hash.ts';
import { type KeyRing, type Place, SealBroken } from '../../kernel/seal.ts';
import type { Secret } from '../../kernel/secret.ts';
import {
  findHashKey,
  lockHashKeysSealedElsewhere,
  storeFirstHashKey,
  storeResealedHashKey,
} from './queries.ts';

const placeOf = (userId: string): Place => ({
  table: 'users',
  column: 'hash_key',
  rowId: userId,
  accountId: userId,
});

/** The key under which the account's addresses and devices are hashed, made at its first use. */
export const accountHashKey = async (
  db: Queryable,
  ring: KeyRing,
  userId: string,
): Promise<Secret> => {
  const known = await findHashKey(db, userId);
  if (known !== null) return openHashKey(ring, userId, known);
  const key = generateHashKey();
  if (await storeFirstHashKey(db, userId, ring.seal(key, placeOf(userId)))) return key;
  const other = await findHashKey(db, userId);
  if (other === null) throw new Error('The account of this hash key is gone');
  return openHashKey(ring, userId, other);
};

export const openHashKey = (ring: KeyRing, userId: string, hashKey: string): Secret =>
  ring.open(hashKey, placeOf(userId));

const keysAtATime = 100;
const firstId = '00000000-0000-0000-0000-000000000000';

/** Seals every hash key under the ring's present key; tells how many. */
export const rewrapHashKeys = async (
  db: Database,
  ring: KeyRing,
  onBroken: (error: Error) => void,
): Promise<number> => {
  let total = 0;
  for (let after = firstId; ; ) {
    const { last, rewrapped, broken } = await rewrapSome(db, ring, after);
    total += rewrapped;
    broken.forEach(onBroken);
    if (last === undefined) return total;
    after = last;
  }
};

const rewrapSome = (db: Database, ring: KeyRing, after: string) =>
  db.transaction(async (tx) => {
    const page = { after, most: keysAtATime };
    const rows = await lockHashKeysSealedElsewhere(tx, ring.sealingKeyId, page);
    const broken: SealBroken[] = [];
    for (const { userId, hashKey } of rows) {
      const resealed = reseal(ring, userId, hashKey);
      if (resealed instanceof SealBroken) broken.push(resealed);
      else await storeResealedHashKey(tx, userId, resealed);
    }
    return { last: rows.at(-1)?.userId, rewrapped: rows.length - broken.length, broken };
  });

const reseal = (ring: KeyRing, userId: string, hashKey: string): string | SealBroken => {
  try {
    return ring.seal(ring.open(hashKey, placeOf(userId)), placeOf(userId));
  } catch (error) {
    if (error instanceof SealBroken) return error;
    throw error;
  }
};
