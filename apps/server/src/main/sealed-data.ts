import type { Database, Queryable } from '../db/connect.ts';
import {
  countByKeyId,
  findSealedCheck,
  listKeyIds,
  type SealedRows,
  storeSealedCheck,
} from '../db/sealed/queries.ts';
import { sealedHashKeys } from '../features/accounts/hash-key/queries.ts';
import { sealedObjects } from '../features/backups/objects/queries.ts';
import { requireRingFitsBots } from '../features/bots/credentials/rewrap-bots.ts';
import { sealedBots } from '../features/bots/queries.ts';
import { sealedRecalls } from '../features/pulls/recall/queries.ts';
import { sealedFactors } from '../features/sessions/second-factor/queries.ts';
import { sealedRevocations, sealedTokens } from '../features/vault/queries.ts';
import { requireRingFitsTokens } from '../features/vault/tokens/rewrap.ts';
import { sealedPendingVerifications } from '../features/verification/queries/pending-verifications.ts';
import { type KeyRing, type Place, SealBroken } from '../kernel/seal.ts';
import { Secret } from '../kernel/secret.ts';

/** All sealed data, by table; `blobs` stands for the files of the blob store. */
const sealedTables: Record<string, SealedRows> = {
  bots: sealedBots,
  accounts: sealedHashKeys,
  second_factors: sealedFactors,
  member_tokens: sealedTokens,
  pending_verifications: sealedPendingVerifications,
  pull_recalls: sealedRecalls,
  blobs: sealedObjects,
  'pgboss.job': sealedRevocations,
};

/**
 * Throws if the ring lacks a key that something is sealed under, or has another key under its id. This is
 * checked at the start instead of at the first use.
 */
export const requireRingFits = async (db: Database, ring: KeyRing): Promise<void> => {
  await requireAllKeys(db, ring);
  for (const keyId of ring.keyIds) await requireSameKey(db, ring, keyId);
};

/** The same, for a report: nothing is stored, so that a wrong ring leaves no trace. */
export const requireRingOpens = async (db: Database, ring: KeyRing): Promise<void> => {
  await requireAllKeys(db, ring);
  await requireRingFitsBots(db, ring);
  await requireRingFitsTokens(db, ring);
  for (const keyId of ring.keyIds) await requireCheckOpens(db, ring, keyId);
};

const requireAllKeys = async (db: Database, ring: KeyRing): Promise<void> => {
  const tablesOfKey = await findTablesOfKeys(db);
  const lacking = [...tablesOfKey].filter(([keyId]) => !ring.keyIds.includes(keyId));
  if (lacking.length > 0) {
    const list = lacking.map(([keyId, tables]) => `${keyId} (${tables.join(', ')})`).join(', ');
    throw new Error(
      `MASTER_KEYS lacks keys that stored data is sealed under: ${list}. Put them back; "npm run admin -- key-status" counts what each key seals.`,
    );
  }
};

/** The ids of the keys that anything is sealed under. */
export const listKeysInUse = async (db: Queryable): Promise<string[]> =>
  [...(await findTablesOfKeys(db)).keys()].toSorted();

const findTablesOfKeys = async (db: Queryable): Promise<Map<string, string[]>> => {
  const tablesOfKey = new Map<string, string[]>();
  for (const [table, rows] of Object.entries(sealedTables)) {
    for (const keyId of await listKeyIds(db, rows)) {
      tablesOfKey.set(keyId, [...(tablesOfKey.get(keyId) ?? []), table]);
    }
  }
  return tablesOfKey;
};

const checkText = 'holdfast';
const checkPlace = (keyId: string): Place => ({
  table: 'seal_keys',
  column: 'sealed_check',
  rowId: keyId,
  accountId: 'none',
});

/** The known text that was sealed when the key was first in the ring must open. */
const requireSameKey = async (db: Database, ring: KeyRing, keyId: string): Promise<void> => {
  if ((await findSealedCheck(db, keyId)) === undefined) {
    // A database without such a text: then samples of the data must open.
    await requireRingFitsBots(db, ring);
    await requireRingFitsTokens(db, ring);
    const sealedCheck = ring.sealUnder(keyId, new Secret(checkText), checkPlace(keyId));
    await storeSealedCheck(db, { keyId, sealedCheck });
  }
  await requireCheckOpens(db, ring, keyId);
};

/** Where there is one. */
const requireCheckOpens = async (db: Database, ring: KeyRing, keyId: string): Promise<void> => {
  const sealedCheck = await findSealedCheck(db, keyId);
  if (sealedCheck !== undefined) requireCheckFits(ring, keyId, sealedCheck);
};

export const requireCheckFits = (ring: KeyRing, keyId: string, sealedCheck: string): void => {
  try {
    ring.open(sealedCheck, checkPlace(keyId));
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error;
    throw new Error(
      `MASTER_KEYS has another key under the id ${keyId} than the one that data was sealed under: put the right one back, or give the new key an id of its own.`,
    );
  }
};

/** What is sealed under which key; a key that seals nothing and is not the first one may be removed. */
export const describeKeys = async (db: Database, ring: KeyRing | undefined) => {
  const rowsOfKey = new Map<string, Record<string, number>>(
    ring?.keyIds.map((keyId) => [keyId, {}]),
  );
  for (const [table, sealedRows] of Object.entries(sealedTables)) {
    for (const { keyId, rows } of await countByKeyId(db, sealedRows)) {
      rowsOfKey.set(keyId, { ...rowsOfKey.get(keyId), [table]: rows });
    }
  }
  const keys = [...rowsOfKey].map(([keyId, rows]) => {
    const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
    const isInRing = ring?.keyIds.includes(keyId) ?? false;
    const isSealing = keyId === ring?.sealingKeyId;
    return { keyId, isInRing, isSealing, rows, total, mayBeRemoved: !isSealing && total === 0 };
  });
  return { sealingKeyId: ring?.sealingKeyId ?? null, keys };
};
