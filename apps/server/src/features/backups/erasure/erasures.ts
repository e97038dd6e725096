import type { Queryable, Transaction } from '../../../db/connect.ts';
import { keyedHash } from '../../../kernel/hash.ts';
import { type KeyRing, unlessBroken } from '../../../kernel/seal.ts';
import type { Secret } from '../../../kernel/secret.ts';
import { accountHashKey, openHashKey } from '../../accounts/hash-key/hash-key.ts';
import {
  findAccountsHolding,
  insertErasure,
  listAccountsWithObjects,
  listErased,
  markErasureLifted,
  type PersonHash,
} from './queries.ts';
import { noneErased } from './redact.ts';
import type { IsErased } from './redact-text.ts';

export const hashPerson = (key: Secret, platformId: string): PersonHash => {
  const personHash = keyedHash(key, 'person', platformId);
  return { personHash, indexHash: Buffer.from(personHash, 'base64url').readBigInt64BE() };
};

/** Who is erased from a snapshot of the account that was saved at that moment. */
export const readErased = async (
  db: Queryable,
  ring: KeyRing,
  { accountId, savedAt }: { accountId: string; savedAt: Date },
): Promise<IsErased> => {
  const erased = new Set(await listErased(db, accountId, savedAt));
  if (erased.size === 0) return noneErased;
  const key = await accountHashKey(db, ring, accountId);
  return (platformId) => erased.has(hashPerson(key, platformId).personHash);
};

/**
 * Inserts a tombstone for each account whose backups hold the person, or may hold them because an
 * object is not indexed yet, and for the given accounts. Returns those that hold the person and had no
 * tombstone.
 */
export const erasePersonFromBackups = async (
  tx: Transaction,
  ring: KeyRing,
  platformId: string,
  givenAccounts: Iterable<string>,
): Promise<string[]> => {
  const found = new Map<string, PersonHash & { isHeld: boolean }>();
  for (const accountId of new Set(givenAccounts)) {
    const key = await accountHashKey(tx, ring, accountId);
    found.set(accountId, { ...hashPerson(key, platformId), isHeld: true });
  }
  for await (const { accountId, person, isHeld, mayHold } of walkAccountsWithObjects(
    tx,
    ring,
    platformId,
  )) {
    if (!found.has(accountId) && (isHeld || mayHold)) found.set(accountId, { ...person, isHeld });
  }
  const erased: string[] = [];
  // Always in the order of ids, so that two erasures cannot deadlock.
  for (const accountId of [...found.keys()].sort()) {
    const person = found.get(accountId);
    if (person && (await insertErasure(tx, accountId, person)) && person.isHeld)
      erased.push(accountId);
  }
  return erased;
};

/** The person verified again: what is saved from now on may hold them. */
export const liftErasure = async (
  tx: Transaction,
  ring: KeyRing,
  { accountId, platformId }: { accountId: string; platformId: string },
): Promise<void> => {
  const key = await accountHashKey(tx, ring, accountId);
  await markErasureLifted(tx, accountId, hashPerson(key, platformId));
};

const accountsAtATime = 1000;

/**
 * Walks all accounts that store objects and says of each whether it holds the person. A person has a
 * different hash in every account, so every account's key is opened: two statements for a thousand
 * accounts, and a key to open and a hash to compute for each of them.
 */
export async function* walkAccountsWithObjects(db: Queryable, ring: KeyRing, platformId: string) {
  for (let after: string | undefined; ; ) {
    const accounts = await listAccountsWithObjects(db, { after, most: accountsAtATime });
    const people = new Map<string, PersonHash>();
    for (const account of accounts) {
      const key = await openAccountKey(db, ring, account);
      if (key) people.set(account.accountId, hashPerson(key, platformId));
    }
    const hashes = [...people].map(([accountId, { indexHash }]) => ({ accountId, indexHash }));
    const holders = await findAccountsHolding(db, hashes);
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
 * Undefined for an account without a key, whose objects hold no one, and for a key that does not open:
 * then the account's objects cannot be read either.
 */
const openAccountKey = async (
  db: Queryable,
  ring: KeyRing,
  { accountId, hashKey, mayHold }: { accountId: string; hashKey: string | null; mayHold: boolean },
): Promise<Secret | undefined> => {
  if (hashKey === null) return mayHold ? accountHashKey(db, ring, accountId) : undefined;
  return unlessBroken(() => openHashKey(ring, accountId, hashKey));
};
