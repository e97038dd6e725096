import { and, eq, isNotNull, isNull, or, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { countRows } from '../../../db/queries/list-page.ts';
import { purgeByServer } from '../../../db/queries/purge-rows.ts';
import { firstRow, hasRows } from '../../../db/queries/rows.ts';
import { purgePictures } from '../../uploads/queries.ts';
import { uploads, uploadUses } from '../../uploads/table.ts';
import { pictureField } from '../rules.ts';
import { panels } from '../table.ts';

export type Owned = { accountId: string; serverId: string };
export type OwnedPanel = Owned & { panelId: string };

export const ofServer = ({ accountId, serverId }: Owned) =>
  and(eq(panels.accountId, accountId), eq(panels.serverId, serverId));
export const shownOf = (server: Owned) => and(ofServer(server), isNull(panels.deletedAt));
export const oneOf = (panel: OwnedPanel) => and(ofServer(panel), eq(panels.id, panel.panelId));

/** Something is to be done for it on the platform. */
export const hasWork = or(
  ...[panels.isDue, isNotNull(panels.deletedAt), isNotNull(panels.staleMessageId)],
);

export const usesPicture = and(
  eq(uploadUses.holderId, panels.id),
  eq(uploadUses.field, pictureField),
);

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
