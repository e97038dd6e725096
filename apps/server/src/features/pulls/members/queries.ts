import type { PullResult } from '@holdfast/contract';
import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { members } from '../../members/table.ts';
import { ofOwner, type PullOwner } from '../queries.ts';
import { pullMembers, pulls } from '../table.ts';

const { pullId, seq, memberId, attempts, begunAt, result } = pullMembers;

export type OpenMember = Awaited<ReturnType<typeof listOpenMembers>>[number];
export type MemberAtHand = NonNullable<Awaited<ReturnType<typeof findMemberAtHand>>>;

/** What is known of the person; all null for one who was erased. */
const personFields = {
  platformId: members.platformId,
  botId: members.botId,
  consentedAt: members.consentedAt,
  blacklisted: members.blacklisted,
  tokenStatus: members.tokenStatus,
};

const isTheirs = and(eq(members.id, memberId), eq(members.userId, pulls.userId));
const isRow = (owner: PullOwner, ofSeq: number) =>
  and(eq(pullId, owner.pullId), eq(seq, ofSeq), isNull(result));

/** Those without a result, in the order in which they are called. */
export const listOpenMembers = (db: Queryable, owner: PullOwner, most: number) =>
  db
    .select({ seq, attempts, ...personFields })
    .from(pullMembers)
    .innerJoin(pulls, eq(pulls.id, pullId))
    .leftJoin(members, isTheirs)
    .where(and(ofOwner(owner), isNull(result)))
    .orderBy(asc(attempts), asc(pullMembers.isForeign), asc(seq))
    .limit(most);

/** As they stand at this moment; undefined where they have a result. */
export const findMemberAtHand = async (db: Queryable, owner: PullOwner, ofSeq: number) => {
  const [member] = await db
    .select({ begunAt, ...personFields })
    .from(pullMembers)
    .innerJoin(pulls, eq(pulls.id, pullId))
    .leftJoin(members, isTheirs)
    .where(and(ofOwner(owner), isRow(owner, ofSeq)));
  return member;
};

/** A call for them is about to leave. */
export const markBegun = async (tx: Transaction, owner: PullOwner, ofSeq: number) => {
  await tx
    .update(pullMembers)
    .set({ begunAt: sql`clock_timestamp()` })
    .where(and(isRow(owner, ofSeq), isNull(begunAt)));
};

/** The call had no effect, as is known for sure. */
export const markUntried = async (tx: Transaction, owner: PullOwner, ofSeq: number) => {
  await tx.update(pullMembers).set({ begunAt: null }).where(isRow(owner, ofSeq));
};

export const putAside = async (tx: Transaction, owner: PullOwner, ofSeq: number) => {
  await tx
    .update(pullMembers)
    .set({ attempts: sql`${attempts} + 1` })
    .where(isRow(owner, ofSeq));
};

const isInFirstBurst = sql`${pulls.firstResultAt} is null
  or clock_timestamp() < ${pulls.firstResultAt} + interval '1 second'`;

/** Counts only what it changes: a result that is there already is not counted again. */
export const storeResult = async (
  tx: Transaction,
  owner: PullOwner,
  member: { seq: number; result: PullResult },
): Promise<void> => {
  const stored = await tx
    .update(pullMembers)
    .set({ result: member.result })
    .where(isRow(owner, member.seq))
    .returning({ seq });
  if (stored.length === 0) return;
  await tx
    .update(pulls)
    .set({
      [member.result]: sql`${pulls[member.result]} + 1`,
      processed: sql`${pulls.processed} + 1`,
      firstResultAt: sql`coalesce(${pulls.firstResultAt}, clock_timestamp())`,
      firstBurst: sql`${pulls.firstBurst} + case when ${isInFirstBurst} then 1 else 0 end`,
    })
    .where(ofOwner(owner));
};
