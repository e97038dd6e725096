import { and, asc, eq, isNotNull, ne, sql } from 'drizzle-orm';
import { markChanged, type Queryable, type Transaction } from '../../../db/connect.ts';
import { firstRow } from '../../../db/queries/rows.ts';
import { uploads, uploadUses } from '../../uploads/table.ts';
import { panels } from '../table.ts';
import { hasWork, type Owned, type OwnedPanel, ofServer, oneOf, usesPicture } from './panels.ts';

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
      .where(and(ofServer(server), hasWork))
      .orderBy(asc(panels.createdAt), asc(panels.id))
      .limit(1),
  );
export type DuePanel = NonNullable<Awaited<ReturnType<typeof findDuePanel>>>;

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
