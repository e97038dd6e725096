import { and, eq, inArray, lte, type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../../../db/connect.ts';
import { members } from '../../members/table.ts';
import { markPulls, type PullOwner } from '../queries/pulls.ts';
import { pullMembers, pulls } from '../table.ts';

const { verifiedAt } = members;

type Chunk = { owner: PullOwner; botId: string; limit: number };
type Selection = NonNullable<Awaited<ReturnType<typeof findSelection>>>;

/**
 * Stores the next members who can be pulled, newest first, and moves the cursor. False when there was
 * nobody left: then the selection is complete.
 */
export const selectChunk = async (tx: Transaction, chunk: Chunk): Promise<boolean> => {
  const selection = await findSelection(tx, chunk.owner);
  if (!selection || selection.selectedAt) return false;
  const [added] = await tx.execute(insertChunk(selection, chunk));
  const count = Number(added?.count ?? 0);
  const progress =
    count > 0
      ? { total: sql`${pulls.total} + ${count}`, cursorAt: added?.at, cursorId: added?.id }
      : { selectedAt: sql`clock_timestamp()` };
  const changed = await tx
    .update(pulls)
    .set(progress)
    .where(isRunning(chunk.owner))
    .returning({ serverId: pulls.serverId });
  markPulls(tx, chunk.owner, changed);
  return count > 0;
};

const isRunning = ({ accountId, pullId }: PullOwner) =>
  and(eq(pulls.id, pullId), eq(pulls.accountId, accountId), eq(pulls.status, 'running'));

const findSelection = async (tx: Transaction, owner: PullOwner) => {
  const [selection] = await tx
    .select({
      id: pulls.id,
      accountId: pulls.accountId,
      serverId: pulls.serverId,
      memberLimit: pulls.memberLimit,
      memberIds: pulls.memberIds,
      total: pulls.total,
      cursorAt: pulls.cursorAt,
      cursorId: pulls.cursorId,
      selectedAt: pulls.selectedAt,
      createdAt: pulls.createdAt,
    })
    .from(pulls)
    .where(isRunning(owner));
  return selection;
};

/** People who are being erased at this moment are left out; selected ones cannot be until the commit. */
const insertChunk = (pull: Selection, { botId, limit }: Chunk): SQL => {
  const left = pull.memberLimit === null ? limit : Math.min(limit, pull.memberLimit - pull.total);
  return sql`
    with page as (
      select ${members.id} as id, ${verifiedAt} as at, ${members.botId} as bot_id
      from ${members} where ${isSelected(pull)}
      order by ${verifiedAt} desc, ${members.id} desc limit ${left} for key share
    ), added as (
      insert into ${pullMembers} (pull_id, seq, member_id, is_foreign)
      select ${pull.id}::uuid, ${pull.total}::int + row_number() over (order by at desc, id desc),
        id, bot_id is distinct from ${botId}::uuid
      from page
    )
    select id, at, (select count(*) from page) as count from page order by at, id limit 1`;
};

const isSelected = ({ serverId, accountId, createdAt, cursorAt, cursorId, memberIds }: Selection) =>
  and(
    eq(members.serverId, serverId),
    eq(members.accountId, accountId),
    eq(members.pullable, true),
    lte(verifiedAt, createdAt),
    cursorAt === null || cursorId === null
      ? undefined
      : sql`(${verifiedAt}, ${members.id}) < (${cursorAt}::timestamptz, ${cursorId}::uuid)`,
    memberIds === null ? undefined : inArray(members.id, memberIds),
  );
