import { type PullResult, pullResultCounts } from '@holdfast/contract';
import { and, asc, desc, eq, isNull, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { preparedStep } from '../../../db/prepared.ts';
import { bots } from '../../bots/table.ts';
import { members } from '../../members/table.ts';
import { servers } from '../../servers/table.ts';
import { memberTokens } from '../../vault/table.ts';
import { pullMemberRoles, pullMembers, pulls } from '../table.ts';
import {
  isRunning,
  isSource,
  isTarget,
  markPulls,
  ofOwner,
  type PullOwner,
  type TargetState,
  target,
  targetFields,
} from './pulls.ts';

const { pullId, seq, memberId, attempts, begunAt, result } = pullMembers;

/** All null for a person who was erased. */
const personFields = {
  platformId: members.platformId,
  botId: members.botId,
  consentedAt: members.consentedAt,
  blacklisted: members.blacklisted,
  tokenStatus: members.tokenStatus,
};
const isPerson = and(eq(members.id, memberId), eq(members.accountId, pulls.accountId));

export type OpenMember = Awaited<ReturnType<typeof listOpenMembers>>[number];

/**
 * Members without a result, in the order in which they are pulled, when their tokens expire, and what a
 * backup has of them.
 */
export const listOpenMembers = (db: Queryable, owner: PullOwner, limit: number) =>
  db
    .select({
      ...{ seq, attempts, ...personFields, tokenExpiresAt: memberTokens.expiresAt },
      ...{ savedNick: pullMemberRoles.nick, savedRoleIds: pullMemberRoles.roleIds },
    })
    .from(pullMembers)
    .innerJoin(pulls, eq(pulls.id, pullId))
    .leftJoin(target, isTarget)
    .leftJoin(
      pullMemberRoles,
      and(eq(pullMemberRoles.pullId, pullId), eq(pullMemberRoles.seq, seq)),
    )
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
    .limit(limit);

const attemptFields = {
  ...targetFields,
  isTargetBotActive: bots.isActive,
  seq,
  begunAt,
  ...personFields,
};

type AttemptState = TargetState & { [Name in keyof typeof personFields]: OpenMember[Name] } & {
  isTargetBotActive: boolean | null;
  seq: number | null;
  begunAt: Date | null;
};

// Its keys are those of the fields, which are the type's.
const attemptKeys = Object.keys(attemptFields) as (keyof AttemptState)[];

const readAttempt = preparedStep<AttemptState>(attemptKeys, (tx) =>
  tx
    .select(attemptFields)
    .from(pulls)
    .innerJoin(servers, isSource)
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
 * The pull and one of its members as they are at this moment. Undefined where the pull has ended; the
 * member's fields are null where they have a result.
 */
export const findAttempt = async (
  tx: Transaction,
  owner: PullOwner,
  ofSeq: number,
): Promise<AttemptState | undefined> => (await readAttempt(tx, { ...owner, seq: ofSeq }))[0];

const isRow = and(
  eq(pullId, sql.placeholder('pullId')),
  eq(seq, sql.placeholder('seq')),
  isNull(result),
);

const setBegun = preparedStep([], (tx) =>
  tx
    .update(pullMembers)
    .set({ begunAt: sql`clock_timestamp()` })
    .where(and(isRow, isNull(begunAt))),
);

/** A call for the member is about to be made. */
export const markBegun = async (tx: Transaction, owner: PullOwner, ofSeq: number) => {
  await setBegun(tx, { ...owner, seq: ofSeq });
};

const isOpen = (owner: PullOwner, ofSeq: number) =>
  and(eq(pullId, owner.pullId), eq(seq, ofSeq), isNull(result));

/** The call certainly had no effect. */
export const markUntried = async (tx: Transaction, owner: PullOwner, ofSeq: number) => {
  await tx.update(pullMembers).set({ begunAt: null }).where(isOpen(owner, ofSeq));
};

/** The member is tried again after all others. */
export const postponeMember = async (tx: Transaction, owner: PullOwner, ofSeq: number) => {
  await tx
    .update(pullMembers)
    .set({ attempts: sql`${attempts} + 1` })
    .where(isOpen(owner, ofSeq));
};

const setResult = preparedStep<{ seq: number }>(['seq'], (tx) =>
  tx
    .update(pullMembers)
    .set({ result: sql`${sql.placeholder('result')}` })
    .where(isRow)
    .returning({ seq }),
);

const isInFirstBurst = sql`${pulls.firstResultAt} is null
  or clock_timestamp() < ${pulls.firstResultAt} + interval '1 second'`;

const incrementOf = (counted: PullResult) =>
  preparedStep<{ serverId: string }>(['serverId'], (tx) =>
    tx
      .update(pulls)
      .set({
        [counted]: sql`${pulls[counted]} + 1`,
        processed: sql`${pulls.processed} + 1`,
        firstResultAt: sql`coalesce(${pulls.firstResultAt}, clock_timestamp())`,
        firstBurst: sql`${pulls.firstBurst} + case when ${isInFirstBurst} then 1 else 0 end`,
      })
      .where(
        and(
          eq(pulls.id, sql.placeholder('pullId')),
          eq(pulls.accountId, sql.placeholder('accountId')),
        ),
      )
      .returning({ serverId: pulls.serverId }),
  );

const results = pullResultCounts.keyof().options;
const increments = new Map(results.map((counted) => [counted, incrementOf(counted)]));

/** Counts only what it changes: a result that is there already is not counted again. */
export const storeResult = async (
  tx: Transaction,
  owner: PullOwner,
  member: { seq: number; result: PullResult },
): Promise<void> => {
  const changed = await setResult(tx, { ...owner, ...member });
  if (changed.length === 0) return;
  const counted = await increments.get(member.result)?.(tx, owner);
  markPulls(tx, owner, counted ?? []);
};

/** Of all accounts, the newest first: the pulls that somebody was part of, and what came of it. */
export const listPullsOfPerson = (db: Queryable, platformId: string) =>
  db
    .select({
      accountId: pulls.accountId,
      serverId: pulls.serverId,
      to: target.name,
      pulledAt: pulls.createdAt,
      begunAt: pullMembers.begunAt,
      result: pullMembers.result,
      roleIds: pullMemberRoles.roleIds,
      nick: pullMemberRoles.nick,
    })
    .from(members)
    .innerJoin(pullMembers, eq(pullMembers.memberId, members.id))
    .innerJoin(pulls, and(eq(pulls.id, pullMembers.pullId), eq(pulls.accountId, members.accountId)))
    .leftJoin(target, isTarget)
    .leftJoin(
      pullMemberRoles,
      and(eq(pullMemberRoles.pullId, pullMembers.pullId), eq(pullMemberRoles.seq, pullMembers.seq)),
    )
    .where(eq(members.platformId, platformId))
    .orderBy(desc(pulls.createdAt), desc(pulls.id));
