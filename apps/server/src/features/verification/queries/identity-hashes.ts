import { and, eq, gt, inArray, lt, ne, or, type SQL, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { purgeByServer } from '../../../db/queries/purge-rows.ts';
import { newId } from '../../../kernel/ids.ts';
import { members } from '../../members/table.ts';
import { identityHashes } from '../table.ts';

const keptDays = 90;
const { id, accountId, serverId, platformId, kind, hash, expiresAt } = identityHashes;

/** Keyed hashes by which a returning person is recognized; null if there is nothing to hash. */
export type IdentityHashes = { device: string | null; address: string | null };
type Person = { accountId: string; platformId: string };

/** Always in this order, so that two newcomers who share both hashes do not deadlock. */
const entriesOf = (hashes: IdentityHashes) =>
  (['device', 'address'] as const).flatMap((name) => {
    const value = hashes[name];
    return value === null ? [] : [{ kind: name, hash: value }];
  });

type HashLock = { accountId: string; hashes: IdentityHashes; isExclusive: boolean };

/**
 * Until the transaction ends, no one else completes a verification with one of these hashes unseen.
 * Exclusive where second accounts are blocked. The others are compared with no one, so they only
 * exclude those.
 */
export const lockIdentityHashes = async (tx: Transaction, lock: HashLock): Promise<void> => {
  for (const entry of entriesOf(lock.hashes)) {
    const key = sql`hashtextextended(${`${lock.accountId} ${entry.kind} ${entry.hash}`}, 0)`;
    await tx.execute(
      lock.isExclusive
        ? sql`select pg_advisory_xact_lock(${key})`
        : sql`select pg_advisory_xact_lock_shared(${key})`,
    );
  }
};

/** Whether another member of the same account has one of these hashes; null if there are none. */
export const isSecondAccount = async (
  db: Queryable,
  person: Person,
  hashes: IdentityHashes,
): Promise<boolean | null> => {
  const entries = entriesOf(hashes);
  if (entries.length === 0) return null;
  const isSame = entries.map((entry) => and(eq(kind, entry.kind), eq(hash, entry.hash)));
  const found = await db
    .select({ id })
    .from(identityHashes)
    .innerJoin(members, and(eq(members.accountId, accountId), eq(members.platformId, platformId)))
    .where(
      and(
        eq(accountId, person.accountId),
        ne(platformId, person.platformId),
        gt(expiresAt, sql`now()`),
        or(...isSame),
      ),
    )
    .limit(1);
  return found.length > 0;
};

/** Stores them for ninety days from now, also those that are stored already. */
export const storeIdentityHashes = async (
  tx: Transaction,
  owner: Person & { serverId: string },
  hashes: IdentityHashes,
): Promise<void> => {
  const entries = entriesOf(hashes);
  if (entries.length === 0) return;
  const until: SQL<Date> = sql`now() + make_interval(days => ${keptDays})`;
  await tx
    .insert(identityHashes)
    .values(entries.map((entry) => ({ ...entry, ...owner, id: newId(), expiresAt: until })))
    .onConflictDoUpdate({
      target: [serverId, platformId, kind, hash],
      set: { expiresAt: sql`excluded.expires_at` },
    });
};

export const deleteExpiredHashes = (tx: Transaction, limit: number) => {
  const some = tx.select({ id }).from(identityHashes).where(lt(expiresAt, sql`now()`)).limit(limit);
  return tx
    .delete(identityHashes)
    .where(inArray(id, some))
    .returning({ serverId, platformId, kind, hash });
};

export const purgeIdentityHashes = purgeByServer(identityHashes, id);

/** Without the hashes: only that they are stored, and until when, means something to the person. */
export const listIdentityHashesOfPerson = (db: Queryable, ofPlatformId: string) =>
  db
    .select({ accountId, serverId, kind, expiresAt })
    .from(identityHashes)
    .where(and(eq(platformId, ofPlatformId), gt(expiresAt, sql`now()`)))
    .orderBy(expiresAt, id);

export const deleteIdentityHashesOfPerson = (tx: Transaction, ofPlatformId: string) =>
  tx.delete(identityHashes).where(eq(platformId, ofPlatformId)).returning({ accountId });
