import { and, asc, eq, gt, isNotNull, isNull, lt, or, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { deleteSome } from '../../../db/queries/purge-rows.ts';
import { firstRow, hasRows } from '../../../db/queries/rows.ts';
import { isUnderOtherKey, type SealedRows } from '../../../db/sealed/queries.ts';
import { newId } from '../../../kernel/ids.ts';
import { members } from '../../members/table.ts';
import { servers } from '../../servers/table.ts';
import { isTarget, ofOwner, type PullOwner, target } from '../queries/pulls.ts';
import { pullMembers, pullRecalls, pulls } from '../table.ts';

const { id, pullId, accountId, claimedUntil, code, expiresAt } = pullRecalls;

const ofPull = (owner: PullOwner) => and(eq(pullId, owner.pullId), eq(accountId, owner.accountId));

const isDue = gt(expiresAt, sql`clock_timestamp()`);
/** The invite exists, and can be used. */
const isLiving = and(isNotNull(code), isDue);

/** Who can be invited: their token is invalid, and nothing speaks against them since. */
const isInvited = and(
  eq(pullMembers.result, 'tokenInvalid'),
  isNotNull(members.consentedAt),
  eq(members.blacklisted, false),
);

/** In the order of the pull. */
export const listInvited = (db: Queryable, owner: PullOwner) =>
  db
    .select({ seq: pullMembers.seq, platformId: members.platformId })
    .from(pullMembers)
    .innerJoin(pulls, eq(pulls.id, pullMembers.pullId))
    .innerJoin(
      members,
      and(eq(members.id, pullMembers.memberId), eq(members.accountId, pulls.accountId)),
    )
    .where(and(ofOwner(owner), isInvited))
    .orderBy(asc(pullMembers.seq));

const recallFields = {
  id,
  pullId,
  accountId,
  claimedUntil,
  code: sql<string>`${code}`,
  guildId: pullRecalls.guildId,
  members: pullRecalls.members,
  membersHash: pullRecalls.membersHash,
  expiresAt: sql<Date>`${expiresAt}`.mapWith(expiresAt),
};

export type LivingRecall = NonNullable<Awaited<ReturnType<typeof findLivingRecall>>>;

export const findLivingRecall = (db: Queryable, owner: PullOwner) =>
  firstRow(
    db
      .select(recallFields)
      .from(pullRecalls)
      .where(and(ofPull(owner), isLiving)),
  );

const claimEnd = (ms: number) =>
  sql`clock_timestamp() + make_interval(secs => ${ms / 1000}::float8)`;

/** Whoever gets it creates or changes the invite; undefined where somebody else does. */
export const claimRecall = (db: Queryable, owner: PullOwner, ms: number) =>
  firstRow(
    db
      .insert(pullRecalls)
      .values({ id: newId(), ...owner, claimedUntil: claimEnd(ms) })
      .onConflictDoUpdate({
        target: pullId,
        set: { claimedUntil: claimEnd(ms) },
        setWhere: and(
          eq(accountId, owner.accountId),
          or(isNull(claimedUntil), lt(claimedUntil, sql`clock_timestamp()`)),
        ),
      })
      .returning({ id, accountId }),
  );

export const releaseRecall = async (db: Queryable, owner: PullOwner) => {
  await db.update(pullRecalls).set({ claimedUntil: null }).where(ofPull(owner));
};

type StoredInvite = Partial<
  Pick<
    typeof pullRecalls.$inferInsert,
    'code' | 'sealKeyId' | 'guildId' | 'members' | 'membersHash' | 'expiresAt'
  >
>;

/** Nobody is let in by it yet; the claim goes on. */
export const storeNewInvite = async (
  db: Queryable,
  owner: PullOwner,
  invite: Required<Pick<StoredInvite, 'code' | 'sealKeyId' | 'guildId' | 'expiresAt'>>,
) => {
  await db
    .update(pullRecalls)
    .set({ ...invite, members: 0, membersHash: null })
    .where(ofPull(owner));
};

/** Ends the claim as well. */
export const storeRecall = async (db: Queryable, owner: PullOwner, invite: StoredInvite) => {
  await db
    .update(pullRecalls)
    .set({ ...invite, claimedUntil: null })
    .where(ofPull(owner));
};

/** It was ended, and another is to be made as long as it would have lasted; nothing if it is another by now. */
export const forgetInvite = async (db: Queryable, recall: LivingRecall) => {
  await db
    .update(pullRecalls)
    .set({ code: null, membersHash: null, members: 0 })
    .where(and(ofPull(recall), eq(code, recall.code)));
};

/** Nothing if it is another by now. */
export const deleteRecall = async (db: Queryable, recall: LivingRecall) => {
  await db.delete(pullRecalls).where(and(ofPull(recall), eq(code, recall.code)));
};

/** Those that were ended and are to be made anew as well. */
export const listRecallsToLookAt = (db: Queryable) =>
  db.select({ pullId, accountId }).from(pullRecalls).where(isDue).orderBy(asc(id));

export const isRecallDue = (db: Queryable, owner: PullOwner): Promise<boolean> =>
  hasRows(
    db
      .select({ id })
      .from(pullRecalls)
      .where(and(ofPull(owner), isDue)),
  );

/** Rows of invites that can no longer be used. */
export const deleteExpiredRecalls = (db: Queryable, limit: number): Promise<number> =>
  deleteSome(db, id, lt(expiresAt, sql`now()`), limit);

/** The invites that a person can use, over all accounts, and where they lead to. */
export const listRecallsOfPerson = (db: Queryable, platformId: string) =>
  db
    .select({
      ...{ id, accountId, pullId, code: recallFields.code, expiresAt: recallFields.expiresAt },
      ...{ serverId: pulls.serverId, targetName: target.name },
      /** False while nobody has been let in yet, as far as is known. */
      isOpen: sql<boolean>`${isNotNull(pullRecalls.membersHash)}`,
    })
    .from(members)
    .innerJoin(pullMembers, eq(pullMembers.memberId, members.id))
    .innerJoin(pulls, and(eq(pulls.id, pullMembers.pullId), eq(pulls.accountId, members.accountId)))
    .innerJoin(servers, and(eq(servers.id, pulls.serverId), isNull(servers.deletedAt)))
    .innerJoin(target, isTarget)
    .innerJoin(pullRecalls, and(eq(pullId, pulls.id), eq(accountId, pulls.accountId)))
    .where(and(eq(members.platformId, platformId), isInvited, isLiving))
    .orderBy(asc(expiresAt));

export const sealedRecalls: SealedRows = {
  from: pullRecalls,
  keyId: sql`${pullRecalls.sealKeyId}`,
};

/** Codes that are sealed under another master key than this one, in the order of their ids. */
export const lockRecallsToRewrap = (
  tx: Transaction,
  sealKeyId: string,
  { after, most }: { after: string; most: number },
) =>
  tx
    .select({ id, accountId, code: recallFields.code })
    .from(pullRecalls)
    .where(and(isNotNull(code), isUnderOtherKey(pullRecalls.sealKeyId, sealKeyId), gt(id, after)))
    .orderBy(asc(id))
    .limit(most)
    .for('no key update');

export const storeResealedCode = async (
  tx: Transaction,
  row: { id: string; accountId: string },
  sealed: { code: string; sealKeyId: string },
) => {
  await tx
    .update(pullRecalls)
    .set(sealed)
    .where(and(eq(id, row.id), eq(accountId, row.accountId)));
};
