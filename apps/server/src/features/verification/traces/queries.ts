import { and, eq, gt, inArray, lt, ne, or, type SQL, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { newId } from '../../../kernel/ids.ts';
import { blacklist } from '../../blacklist/table.ts';
import { members } from '../../members/table.ts';
import { traces } from '../table.ts';

const traceDays = 90;
const { id, accountId, serverId, platformId, kind, hash, expiresAt } = traces;

/** By what a person may be known again: keyed hashes, null where there is nothing to go by. */
export type Marks = { device: string | null; address: string | null };
type Person = { accountId: string; platformId: string };

const knownMarks = (marks: Marks) =>
  (['device', 'address'] as const).flatMap((name) => {
    const value = marks[name];
    return value === null ? [] : [{ kind: name, hash: value }];
  });

/**
 * Until the transaction ends, nobody else of this account comes in unseen with one of these marks. Those
 * who refuse second accounts exclude everybody; the others, whom nobody compares, only exclude them.
 */
export const lockMarks = async (
  tx: Transaction,
  { accountId: ownerId, marks, isExclusive }: { accountId: string; marks: Marks; isExclusive: boolean },
): Promise<void> => {
  // One order for all, so that two who share both marks do not wait for each other.
  for (const { kind: name, hash: value } of knownMarks(marks)) {
    const key = sql`hashtextextended(${`${ownerId} ${name} ${value}`}, 0)`;
    const lock = isExclusive
      ? sql`select pg_advisory_xact_lock(${key})`
      : sql`select pg_advisory_xact_lock_shared(${key})`;
    await tx.execute(lock);
  }
};

/** Whether somebody else, who is a member of the same account, left the same mark. */
export const isSecondAccount = async (
  db: Queryable,
  person: Person,
  marks: Marks,
): Promise<boolean | null> => {
  const known = knownMarks(marks);
  if (known.length === 0) return null;
  const isMark = known.map((mark) => and(eq(kind, mark.kind), eq(hash, mark.hash)));
  const found = await db
    .select({ id })
    .from(traces)
    .innerJoin(members, and(eq(members.accountId, accountId), eq(members.platformId, platformId)))
    .where(
      and(
        eq(accountId, person.accountId),
        ne(platformId, person.platformId),
        gt(expiresAt, sql`now()`),
        or(...isMark),
      ),
    )
    .limit(1);
  return found.length > 0;
};

/** Kept for ninety days from the last time they were seen. */
export const putTraces = async (
  tx: Transaction,
  owner: Person & { serverId: string },
  marks: Marks,
): Promise<void> => {
  const known = knownMarks(marks);
  if (known.length === 0) return;
  const until: SQL<Date> = sql`now() + make_interval(days => ${traceDays})`;
  await tx
    .insert(traces)
    .values(known.map((mark) => ({ ...mark, ...owner, id: newId(), expiresAt: until })))
    .onConflictDoUpdate({
      target: [serverId, platformId, kind, hash],
      set: { expiresAt: sql`excluded.expires_at` },
    });
};

export const isBlacklisted = async (db: Queryable, person: Person): Promise<boolean> => {
  const found = await db
    .select({ id: blacklist.id })
    .from(blacklist)
    .where(and(eq(blacklist.accountId, person.accountId), eq(blacklist.platformId, person.platformId)));
  return found.length > 0;
};

export const forgetTraces = (tx: Transaction, most: number) => {
  const some = tx.select({ id }).from(traces).where(lt(expiresAt, sql`now()`)).limit(most);
  return tx.delete(traces).where(inArray(id, some)).returning({ serverId, platformId, kind, hash });
};

export const purgeTraces = async (
  db: Queryable,
  ofServerId: string,
  most: number,
): Promise<number> => {
  const some = db.select({ id }).from(traces).where(eq(serverId, ofServerId)).limit(most);
  const gone = await db.delete(traces).where(inArray(id, some)).returning({ id });
  return gone.length;
};
