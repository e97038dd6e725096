import { and, eq, inArray, isNotNull, or, sql } from 'drizzle-orm';
import type { Queryable } from '../../../db/connect.ts';
import { hasRows } from '../../../db/queries/rows.ts';
import type { Action, ActionOf } from '../../restores/plan/action.ts';
import { restorePosts, restoreSteps, restores } from '../../restores/table.ts';
import { guildActs } from '../table.ts';
import { wasUnderWay } from './under-way.ts';

/** A server, and when something was done in its guild that one of our jobs may have done. */
export type Done = { accountId: string; serverId: string; at: Date };

/** Null: whichever restore of the server it was. */
type OfRestore = Done & { restoreId: string | null };

const wasRestoring = ({ accountId, serverId, at, restoreId }: OfRestore) =>
  and(
    eq(restores.accountId, accountId),
    eq(restores.serverId, serverId),
    restoreId === null ? undefined : eq(restores.id, restoreId),
    isNotNull(restores.startedAt),
    wasUnderWay({ from: restores.startedAt, until: restores.completedAt }, at),
  );

export const wasUnderRestore = (db: Queryable, restore: OfRestore): Promise<boolean> =>
  hasRows(db.select({ id: restores.id }).from(restores).where(wasRestoring(restore)).limit(1));

/** The call was made, or may have been. */
const wasBegun = inArray(restoreSteps.status, ['begun', 'done', 'failed']);
const isAction = (...names: Action['do'][]) => inArray(sql`${restoreSteps.action}->>'do'`, names);

const deletions = {
  channelDeletes: { deleteChannel: 'channelId' },
  roleDeletes: { deleteRole: 'roleId' },
  emojiDeletes: { deleteEmoji: 'emojiId', deleteSticker: 'stickerId' },
  bans: { ban: 'userId' },
} as const;

/** Whether the journal has the deletion of this very thing, or the ban of this person. */
export const hasDeletedOrBanned = (
  db: Queryable,
  restore: OfRestore,
  deleted: Deleted,
): Promise<boolean> => hasRows(stepsOf(db, restore, isDeletionOf(deleted)).limit(1));

type Deleted = { kind: keyof typeof deletions; targetId: string };

const isDeletionOf = ({ kind, targetId }: Deleted) =>
  or(
    ...Object.entries(deletions[kind]).map(([name, field]) =>
      and(
        eq(sql`${restoreSteps.action}->>'do'`, name),
        eq(sql`${restoreSteps.action}->>${field}`, targetId),
      ),
    ),
  );

type Owned = { accountId: string; serverId: string };

/**
 * Of what is gone in a guild, the ids of what restores of one of these servers have deleted. It may have been
 * found to be gone long after that, where there was no connection. Nothing is deleted twice, so a step that is
 * done tells it whenever it was.
 */
export const listDeletedByRestores = async (
  db: Queryable,
  server: Owned,
  restorers: readonly Owned[],
  lostIds: readonly string[],
): Promise<string[]> => {
  if (lostIds.length === 0) return [];
  const { entryId, at } = guildActs;
  const ofRestorers = or(
    ...restorers.map((one) =>
      and(eq(restores.accountId, one.accountId), eq(restores.serverId, one.serverId)),
    ),
  );
  const deletedId = sql`coalesce(${restoreSteps.action}->>'channelId', ${restoreSteps.action}->>'roleId')`;
  const wasRunning = and(
    isNotNull(restores.startedAt),
    wasUnderWay({ from: restores.startedAt, until: restores.completedAt }, at),
  );
  const rows = await db
    .selectDistinct({ id: entryId })
    .from(restores)
    .innerJoin(restoreSteps, eq(restoreSteps.restoreId, restores.id))
    .innerJoin(guildActs, eq(entryId, deletedId))
    .where(
      and(
        ofRestorers,
        eq(guildActs.accountId, server.accountId),
        eq(guildActs.serverId, server.serverId),
        inArray(entryId, [...lostIds]),
        eq(restoreSteps.effect, 'delete'),
        isAction('deleteChannel', 'deleteRole'),
        or(eq(restoreSteps.status, 'done'), and(wasBegun, wasRunning)),
      ),
    );
  return rows.map(({ id }) => id);
};

const stepsOf = (db: Queryable, restore: OfRestore, which: ReturnType<typeof and>) =>
  db
    .select({ action: restoreSteps.action })
    .from(restoreSteps)
    .innerJoin(restores, eq(restores.id, restoreSteps.restoreId))
    .where(and(wasRestoring(restore), wasBegun, which));

/** Whether it is the webhook of a step, or one that posts the messages of a channel. */
export const hasMadeWebhook = async (
  db: Queryable,
  restore: OfRestore,
  made: { webhookId: string; channelId: string | null; name: string | null },
): Promise<boolean> => {
  const { createdId, status } = restoreSteps;
  // Until the platform's answer is in the journal, only its name is known.
  const isNamed = and(eq(status, 'begun'), eq(sql`${restoreSteps.action}->>'name'`, made.name));
  const isIt = or(eq(createdId, made.webhookId), isNamed);
  const step = stepsOf(db, restore, and(isAction('createWebhook'), isIt));
  if (await hasRows(step.limit(1))) return true;
  const { webhookIds, newId } = restorePosts;
  const isRecorded = sql`${webhookIds} @> ${JSON.stringify([made.webhookId])}::text::jsonb`;
  const posting = db
    .select({ id: restorePosts.placeId })
    .from(restorePosts)
    .innerJoin(restores, eq(restores.id, restorePosts.restoreId))
    .where(
      and(
        wasRestoring(restore),
        eq(newId, made.channelId ?? ''),
        or(isRecorded, eq(sql`jsonb_array_length(${webhookIds})`, 0)),
      ),
    );
  return hasRows(posting.limit(1));
};

type Sort = 'roles' | 'channels';
const creates = { roles: 'createRole', channels: 'createChannel' } as const;

/** The ids that something of the target has in the backup. */
const listBackupIds = async (
  db: Queryable,
  restore: OfRestore,
  sort: Sort,
  id: string,
): Promise<string[]> => {
  const made = stepsOf(db, restore, and(isAction(creates[sort]), eq(restoreSteps.createdId, id)));
  const map = sql`jsonb_each_text(coalesce(${restores.plan}->'idMap'->${sort}::text, '{}'::jsonb)) as known`;
  const [steps, known] = await Promise.all([
    made,
    db
      .select({ oldId: sql<string>`known.key` })
      .from(restores)
      .innerJoin(map, sql`known.value = ${id}`)
      .where(wasRestoring(restore)),
  ]);
  const created = steps.flatMap(({ action }) => ('oldId' in action ? action.oldId : []));
  return [...created, ...known.map(({ oldId }) => oldId)];
};

/** Something of the target, by its own id and by those of the backup. */
export type Named = { id: string; oldIds: string[] };

export const nameOf = async (
  db: Queryable,
  restore: OfRestore,
  sort: Sort,
  id: string,
): Promise<Named> => ({ id, oldIds: await listBackupIds(db, restore, sort, id) });

const isRef = (field: 'role' | 'channel', { id, oldIds }: Named) =>
  or(
    eq(sql`${restoreSteps.action}->${field}::text->>'present'`, id),
    oldIds.length === 0
      ? undefined
      : inArray(sql`${restoreSteps.action}->${field}::text->>'backup'`, oldIds),
  );

const actionsOf = async <Do extends Action['do']>(
  query: PromiseLike<{ action: Action }[]>,
): Promise<ActionOf<Do>[]> =>
  // The names of the actions are in the query.
  (await query).map(({ action }) => action as ActionOf<Do>);

export const listRoleEdits = (db: Queryable, restore: OfRestore, role: Named) =>
  actionsOf<'editRole'>(stepsOf(db, restore, and(isAction('editRole'), isRef('role', role))));

export const listOverwriteEdits = (db: Queryable, restore: OfRestore, channel: Named) =>
  actionsOf<'editChannel' | 'setOverwrites'>(
    stepsOf(db, restore, and(isAction('editChannel', 'setOverwrites'), isRef('channel', channel))),
  );

export const listMemberEdits = (db: Queryable, restore: OfRestore, userId: string) =>
  actionsOf<'editMember'>(
    stepsOf(
      db,
      restore,
      and(isAction('editMember'), eq(sql`${restoreSteps.action}->>'userId'`, userId)),
    ),
  );

export const listSettingsEdits = (db: Queryable, restore: OfRestore) =>
  actionsOf<'editSettings'>(stepsOf(db, restore, isAction('editSettings')));
