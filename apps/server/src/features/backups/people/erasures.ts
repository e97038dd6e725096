import type { Queryable, Transaction } from '../../../db/connect.ts';
import { type KeyRing, SealBroken } from '../../../kernel/seal.ts';
import type { Secret } from '../../../kernel/secret.ts';
import { accountHashKey, openHashKey } from '../../accounts/hash-key.ts';
import { hashPerson, type PersonHash } from './hash-person.ts';
import {
  findHolders,
  insertErasure,
  liftErasure,
  listAccountsWithObjects,
  listErased,
} from './queries.ts';
import { type IsErased, nobodyErased } from './redact.ts';

/** Who erased themselves, for a snapshot of the account that was saved at that moment. */
export const readErased = async (
  db: Queryable,
  ring: KeyRing,
  { accountId, savedAt }: { accountId: string; savedAt: Date },
): Promise<IsErased> => {
  const erased = new Set(await listErased(db, accountId, savedAt));
  if (erased.size === 0) return nobodyErased;
  const key = await accountHashKey(db, ring, accountId);
  return (platformId) => erased.has(hashPerson(key, platformId).personHash);
};

/**
 * Puts a tombstone into each account whose backups hold the person, or may hold them where an object
 * is not indexed yet, and into those that are named. Tells which of them hold the person and had none.
 */
export const erasePersonFromBackups = async (
  tx: Transaction,
  ring: KeyRing,
  platformId: string,
  namedAccounts: Iterable<string>,
): Promise<string[]> => {
  const named = new Set(namedAccounts);
  const found = new Map<string, PersonHash & { isHeld: boolean }>();
  for (const accountId of named) {
    const key = await accountHashKey(tx, ring, accountId);
    found.set(accountId, { ...hashPerson(key, platformId), isHeld: true });
  }
  for await (const { accountId, person, isHeld, mayHold } of accountsHolding(tx, ring, platformId)) {
    if (!found.has(accountId) && (isHeld || mayHold)) found.set(accountId, { ...person, isHeld });
  }
  const erased: string[] = [];
  // In one order for everybody, so that two erasures never wait for each other.
  for (const accountId of [...found.keys()].sort()) {
    const person = found.get(accountId);
    if (person && (await insertErasure(tx, accountId, person)) && person.isHeld) erased.push(accountId);
  }
  return erased;
};

/** Verifying again: what is saved from now on may hold the person again. */
export const liftErasureOf = async (
  tx: Transaction,
  ring: KeyRing,
  { accountId, platformId }: { accountId: string; platformId: string },
): Promise<void> => {
  const key = await accountHashKey(tx, ring, accountId);
  await liftErasure(tx, accountId, hashPerson(key, platformId));
};

const accountsAtATime = 1000;
const beforeAllIds = '00000000-0000-0000-0000-000000000000';

/**
 * A person has another hash in every account, so each is asked by its own key: two statements for a
 * thousand accounts, and for each of them a key to open and a hash to compute.
 */
export async function* accountsHolding(db: Queryable, ring: KeyRing, platformId: string) {
  for (let after = beforeAllIds; ; ) {
    const accounts = await listAccountsWithObjects(db, { after, most: accountsAtATime });
    const people = new Map<string, PersonHash>();
    for (const account of accounts) {
      const key = await hashKeyOf(db, ring, account);
      if (key) people.set(account.accountId, hashPerson(key, platformId));
    }
    const asked = [...people].map(([accountId, { indexHash }]) => ({ accountId, indexHash }));
    const holders = await findHolders(db, asked);
    for (const { accountId, mayHold } of accounts) {
      const person = people.get(accountId);
      if (person) yield { accountId, person, isHeld: holders.has(accountId), mayHold };
    }
    const last = accounts.at(-1);
    if (!last || accounts.length < accountsAtATime) return;
    after = last.accountId;
  }
}

/**
 * Undefined for an account without one, in whose objects nobody can be found, and for a key that does not
 * open: then nothing of its account can be read either.
 */
const hashKeyOf = async (
  db: Queryable,
  ring: KeyRing,
  { accountId, hashKey, mayHold }: { accountId: string; hashKey: string | null; mayHold: boolean },
): Promise<Secret | undefined> => {
  if (hashKey === null) return mayHold ? accountHashKey(db, ring, accountId) : undefined;
  try {
    return openHashKey(ring, accountId, hashKey);
  } catch (error) {
    if (error instanceof SealBroken) return undefined;
    throw error;
  }
};
