import { type PullResult, pullResultCounts } from '@holdfast/contract';
import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { preparedStep } from '../../../db/prepared-step.ts';
import { bots } from '../../bots/table.ts';
import { members } from '../../members/table.ts';
import { servers } from '../../servers/table.ts';
import { memberTokens } from '../../vault/table.ts';
import {
  type Course,
  courseFields,
  isRunning,
  isTarget,
  ofOwner,
  type PullOwner,
  sourceIsThere,
  target,
} from '../queries.ts';
import { pullMembers, pulls } from '../table.ts';

const { pullId, seq, memberId, attempts, begunAt, result } = pullMembers;

/** What is known of the person; all null for one who was erased. */
const personFields = {
  platformId: members.platformId,
  botId: members.botId,
  consentedAt: members.consentedAt,
  blacklisted: members.blacklisted,
  tokenStatus: members.tokenStatus,
};
const isPerson = and(eq(members.id, memberId), eq(members.accountId, pulls.accountId));

export type OpenMember = Awaited<ReturnType<typeof listOpenMembers>>[number];

/** Those without a result, in the order in which they are called, and until when their tokens are good. */
export const listOpenMembers = (db: Queryable, owner: PullOwner, most: number) =>
  db
    .select({ seq, attempts, ...personFields, tokenExpiresAt: memberTokens.expiresAt })
    .from(pullMembers)
    .innerJoin(pulls, eq(pulls.id, pullId))
    .leftJoin(members, isPerson)
    .leftJoin(
      memberTokens,
      and(
        eq(memberTokens.botId, members.botId),
        eq(memberTokens.platformId, members.platformId),
        eq(memberTokens.accountId, members.accountId),
      ),
    )
    .where(and(ofOwner(owner), isNull(result)))
    .orderBy(asc(attempts), asc(pullMembers.isForeign), asc(seq))
    .limit(most);

const lookFields = {
  ...courseFields,
  isTargetBotActive: bots.isActive,
  seq,
  begunAt,
  ...personFields,
};

type Look = Course &
  Omit<OpenMember, 'seq' | 'attempts' | 'tokenExpiresAt'> & {
    isTargetBotActive: boolean | null;
    seq: number | null;
    begunAt: Date | null;
  };

// Its keys are those of the fields, which are the type's.
const lookKeys = Object.keys(lookFields) as (keyof Look)[];

const look = preparedStep<Look>(lookKeys, (tx) =>
  tx
    .select(lookFields)
    .from(pulls)
    .innerJoin(servers, sourceIsThere)
    .leftJoin(target, isTarget)
    .leftJoin(bots, and(eq(bots.id, target.customBotId), eq(bots.accountId, pulls.accountId)))
    .leftJoin(
      pullMembers,
      and(eq(pullId, pulls.id), eq(seq, sql.placeholder('seq')), isNull(result)),
    )
    .leftJoin(members, isPerson)
    .where(isRunning),
);

/**
 * The pull and one of its members as they stand at this moment. Undefined where the pull has ended;
 * the member's fields are null where they have a result.
 */
export const lookAt = async (
  tx: Transaction,
  owner: PullOwner,
  ofSeq: number,
): Promise<Look | undefined> => (await look(tx, { ...owner, seq: ofSeq }))[0];

const isRow = and(
  eq(pullId, sql.placeholder('pullId')),
  eq(seq, sql.placeholder('seq')),
  isNull(result),
);

const begin = preparedStep([], (tx) =>
  tx
    .update(pullMembers)
    .set({ begunAt: sql`clock_timestamp()` })
    .where(and(isRow, isNull(begunAt))),
);

/** A call for them is about to leave. */
export const markBegun = async (tx: Transaction, owner: PullOwner, ofSeq: number) => {
  await begin(tx, { ...owner, seq: ofSeq });
};

const rowOf = (owner: PullOwner, ofSeq: number) =>
  and(eq(pullId, owner.pullId), eq(seq, ofSeq), isNull(result));

/** The call had no effect, as is known for sure. */
export const markUntried = async (tx: Transaction, owner: PullOwner, ofSeq: number) => {
  await tx.update(pullMembers).set({ begunAt: null }).where(rowOf(owner, ofSeq));
};

export const putAside = async (tx: Transaction, owner: PullOwner, ofSeq: number) => {
  await tx
    .update(pullMembers)
    .set({ attempts: sql`${attempts} + 1` })
    .where(rowOf(owner, ofSeq));
};

const end = preparedStep<{ seq: number }>(['seq'], (tx) =>
  tx
    .update(pullMembers)
    .set({ result: sql`${sql.placeholder('result')}` })
    .where(isRow)
    .returning({ seq }),
);

const isInFirstBurst = sql`${pulls.firstResultAt} is null
  or clock_timestamp() < ${pulls.firstResultAt} + interval '1 second'`;

const countOf = (counted: PullResult) =>
  preparedStep([], (tx) =>
    tx
      .update(pulls)
      .set({
        [counted]: sql`${pulls[counted]} + 1`,
        processed: sql`${pulls.processed} + 1`,
        firstResultAt: sql`coalesce(${pulls.firstResultAt}, clock_timestamp())`,
        firstBurst: sql`${pulls.firstBurst} + case when ${isInFirstBurst} then 1 else 0 end`,
      })
      .where(
        and(eq(pulls.id, sql.placeholder('pullId')), eq(pulls.accountId, sql.placeholder('accountId'))),
      ),
  );

// The keys are the results, as the type says.
const results = pullResultCounts.keyof().options;
const counts = new Map(results.map((counted) => [counted, countOf(counted)]));

/** Counts only what it changes: a result that is there already is not counted again. */
export const storeResult = async (
  tx: Transaction,
  owner: PullOwner,
  member: { seq: number; result: PullResult },
): Promise<void> => {
  const ended = await end(tx, { ...owner, ...member });
  if (ended.length > 0) await counts.get(member.result)?.(tx, owner);
};
