import { and, asc, eq, inArray, isNotNull, isNull, ne, or, sql } from 'drizzle-orm';
import { markChanged, type Queryable, type Transaction } from '../../db/connect.ts';
import { countRows } from '../../db/queries/list-page.ts';
import { purgeByServer } from '../../db/queries/purge-rows.ts';
import { firstRow, hasRows } from '../../db/queries/rows.ts';
import { purgePictures } from '../uploads/queries.ts';
import { uploads, uploadUses } from '../uploads/table.ts';
import { pictureField } from './rules.ts';
import { panels } from './table.ts';

type Owned = { accountId: string; serverId: string };
type OwnedPanel = Owned & { panelId: string };

const ofServer = ({ accountId, serverId }: Owned) =>
  and(eq(panels.accountId, accountId), eq(panels.serverId, serverId));
const shownOf = (server: Owned) => and(ofServer(server), isNull(panels.deletedAt));
const oneOf = (panel: OwnedPanel) => and(ofServer(panel), eq(panels.id, panel.panelId));

const usesPicture = and(eq(uploadUses.holderId, panels.id), eq(uploadUses.field, pictureField));

const shownFields = {
  id: panels.id,
  serverId: panels.serverId,
  channelId: panels.channelId,
  title: panels.title,
  text: panels.text,
  color: panels.color,
  buttonText: panels.buttonText,
  imageUploadId: uploads.id,
  imageToken: uploads.token,
  messageId: panels.messageId,
  status: panels.status,
  error: panels.error,
  createdAt: panels.createdAt,
  updatedAt: panels.updatedAt,
};

const selectShown = (db: Queryable) =>
  db
    .select(shownFields)
    .from(panels)
    .leftJoin(uploadUses, usesPicture)
    .leftJoin(uploads, eq(uploads.id, uploadUses.uploadId));

export const listPanels = (db: Queryable, server: Owned) =>
  selectShown(db).where(shownOf(server)).orderBy(sql`${panels.createdAt} desc, ${panels.id} desc`);

export const countPanels = (db: Queryable, server: Owned): Promise<number> =>
  countRows(db, panels, shownOf(server));

export const insertPanel = async (
  tx: Transaction,
  row: typeof panels.$inferInsert,
): Promise<void> => {
  await tx.insert(panels).values(row);
};

export const findPanel = (db: Queryable, panel: OwnedPanel) =>
  firstRow(selectShown(db).where(and(oneOf(panel), isNull(panels.deletedAt))));

export const lockPanel = (tx: Transaction, panel: OwnedPanel): Promise<boolean> =>
  hasRows(
    tx
      .select({ id: panels.id })
      .from(panels)
      .where(and(oneOf(panel), isNull(panels.deletedAt)))
      .for('no key update'),
  );

type Content = Partial<
  Pick<typeof panels.$inferInsert, 'channelId' | 'title' | 'text' | 'color' | 'buttonText'>
>;

/** It is brought up to date on the platform, also without a change: its message may be gone. */
export const changePanel = async (
  tx: Transaction,
  panel: OwnedPanel,
  content: Content,
): Promise<void> => {
  await tx
    .update(panels)
    .set({
      ...content,
      ...{ isDue: true, revision: sql`${panels.revision} + 1`, updatedAt: sql`now()` },
    })
    .where(and(oneOf(panel), isNull(panels.deletedAt)));
};

export const markPanelDeleted = (tx: Transaction, panel: OwnedPanel) =>
  firstRow(
    tx
      .update(panels)
      .set({ deletedAt: sql`now()` })
      .where(and(oneOf(panel), isNull(panels.deletedAt)))
      .returning({ id: panels.id, title: panels.title, channelId: panels.channelId }),
  );

/** The oldest panel of the server for which something is to be done on the platform. */
export const findDuePanel = (db: Queryable, server: Owned) =>
  firstRow(
    db
      .select({
        panelId: panels.id,
        ...{ accountId: panels.accountId, serverId: panels.serverId },
        ...{ channelId: panels.channelId, title: panels.title, text: panels.text },
        ...{ color: panels.color, buttonText: panels.buttonText, imageToken: uploads.token },
        ...{ messageId: panels.messageId, messageChannelId: panels.messageChannelId },
        ...{ staleMessageId: panels.staleMessageId, staleChannelId: panels.staleChannelId },
        ...{ postId: panels.postId, isDue: panels.isDue, revision: panels.revision },
        ...{ attemptedAt: panels.attemptedAt, attemptChannelId: panels.attemptChannelId },
        deletedAt: panels.deletedAt,
      })
      .from(panels)
      .leftJoin(uploadUses, usesPicture)
      .leftJoin(uploads, eq(uploads.id, uploadUses.uploadId))
      .where(
        and(
          ofServer(server),
          or(panels.isDue, isNotNull(panels.deletedAt), isNotNull(panels.staleMessageId)),
        ),
      )
      .orderBy(asc(panels.createdAt), asc(panels.id))
      .limit(1),
  );
export type DuePanel = NonNullable<Awaited<ReturnType<typeof findDuePanel>>>;

/** Makes the job look at every panel of the server; false where there is none. */
export const makePanelsDue = async (tx: Transaction, server: Owned): Promise<boolean> => {
  const due = await tx
    .update(panels)
    .set({ isDue: true, revision: sql`${panels.revision} + 1` })
    .where(shownOf(server))
    .returning({ id: panels.id });
  return due.length > 0;
};

/** A channel was deleted, and the messages in it. */
export const markChannelsGone = async (
  tx: Transaction,
  accountId: string,
  channelIds: string[],
  error: string,
): Promise<void> => {
  const missing = await tx
    .update(panels)
    .set({ status: 'MISSING', error, messageId: null, messageChannelId: null })
    .where(
      and(
        ...[eq(panels.accountId, accountId), inArray(panels.channelId, channelIds)],
        isNull(panels.deletedAt),
      ),
    )
    .returning({ serverId: panels.serverId });
  for (const { serverId } of missing) markChanged(tx, { accountId, serverId }, 'panels');
};

export const listPanelMessages = async (
  db: Queryable,
  server: Owned,
): Promise<ReadonlySet<string>> => {
  const rows = await db
    .select({ messageId: panels.messageId })
    .from(panels)
    .where(ofServer(server));
  return new Set(rows.flatMap(({ messageId }) => messageId ?? []));
};

/** The messages of the server's other panels. */
export const listOtherMessages = async (db: Queryable, panel: OwnedPanel): Promise<string[]> => {
  const rows = await db
    .select({ messageId: panels.messageId, staleMessageId: panels.staleMessageId })
    .from(panels)
    .where(and(ofServer(panel), ne(panels.id, panel.panelId)));
  return rows.flatMap(({ messageId, staleMessageId }) =>
    [messageId, staleMessageId].filter((id) => id !== null),
  );
};

type Progress = Partial<
  Pick<
    typeof panels.$inferInsert,
    | 'status'
    | 'error'
    | 'messageId'
    | 'messageChannelId'
    | 'staleMessageId'
    | 'staleChannelId'
    | 'postId'
    | 'attemptChannelId'
  >
> & { attemptedAt?: 'now' | null };

/** Not a change of settings, so `updatedAt` stays. */
export const storeProgress = async (
  tx: Transaction,
  panel: OwnedPanel,
  { attemptedAt, ...progress }: Progress,
): Promise<void> => {
  await tx
    .update(panels)
    .set({
      ...progress,
      ...(attemptedAt !== undefined && { attemptedAt: attemptedAt && sql`now()` }),
    })
    .where(oneOf(panel));
  markChanged(tx, panel, 'panels');
};

/** Ends the work at a panel, unless it was changed meanwhile. */
export const endWork = async (
  tx: Transaction,
  panel: OwnedPanel & { revision: number },
  progress: Progress,
): Promise<void> => {
  await storeProgress(tx, panel, progress);
  await tx
    .update(panels)
    .set({ isDue: false })
    .where(and(oneOf(panel), eq(panels.revision, panel.revision)));
};

/** False where its owner has changed it meanwhile. */
export const moveToChannel = async (
  tx: Transaction,
  panel: OwnedPanel & { revision: number },
  channelId: string,
): Promise<boolean> => {
  const moved = await tx
    .update(panels)
    .set({ channelId, updatedAt: sql`now()` })
    .where(and(oneOf(panel), eq(panels.revision, panel.revision)))
    .returning({ id: panels.id });
  return moved.length > 0;
};

export const deletePanelRow = async (tx: Transaction, panel: OwnedPanel): Promise<void> => {
  await tx.delete(panels).where(and(oneOf(panel), isNotNull(panels.deletedAt)));
};

export const purgePanels = purgeByServer(panels, panels.id);

/** Before the panels themselves, by which their pictures are found. */
export const purgePanelPictures = async (tx: Transaction, serverId: string): Promise<number> => {
  const holders = await tx
    .select({ id: panels.id })
    .from(panels)
    .where(eq(panels.serverId, serverId));
  let released = 0;
  for (const { id } of holders) released += await purgePictures(tx, id);
  return released;
};
