import { and, eq, gt, inArray, isNotNull, isNull, or, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { markChanged, type Queryable, type Transaction } from '../../../db/connect.ts';
import { hasRows } from '../../../db/queries/rows.ts';
import { servers } from '../../servers/table.ts';
import { panels } from '../table.ts';
import { hasWork, type Owned, type OwnedPanel, ofServer, oneOf, shownOf } from './panels.ts';

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
  // A message in another channel stays: the panel could not be moved yet.
  const isGone = inArray(panels.messageChannelId, channelIds);
  const kept = (column: PgColumn) => sql`case when ${isGone} then null else ${column} end`;
  const missing = await tx
    .update(panels)
    .set({
      ...{ status: 'MISSING', error },
      ...{ messageId: kept(panels.messageId), messageChannelId: kept(panels.messageChannelId) },
    })
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

/** The channels that panels are meant for. */
export const listPanelChannels = async (db: Queryable, server: Owned): Promise<string[]> => {
  const rows = await db
    .selectDistinct({ channelId: panels.channelId })
    .from(panels)
    .where(shownOf(server));
  return rows.map(({ channelId }) => channelId);
};

const isPosted = and(
  ...[isNull(panels.deletedAt), eq(panels.status, 'POSTED'), eq(panels.isDue, false)],
  ...[isNotNull(panels.messageId), isNotNull(panels.messageChannelId)],
);

/** Of panels for which nothing is to be done. */
export const listPostedMessages = async (db: Queryable, server: Owned) => {
  const rows = await db
    .select({
      panelId: panels.id,
      messageId: panels.messageId,
      channelId: panels.messageChannelId,
    })
    .from(panels)
    .where(and(ofServer(server), isPosted));
  return rows.flatMap(({ panelId, messageId, channelId }) =>
    messageId !== null && channelId !== null ? { panelId, messageId, channelId } : [],
  );
};

/** The message was not found; unless the panel has got another one meanwhile. */
export const markMessageGone = async (
  tx: Transaction,
  panel: OwnedPanel,
  { messageId, error }: { messageId: string; error: string | null },
): Promise<void> => {
  const isMarked = await hasRows(
    tx
      .update(panels)
      .set({ status: 'MISSING', error, messageId: null, messageChannelId: null })
      .where(and(oneOf(panel), isPosted, eq(panels.messageId, messageId)))
      .returning({ id: panels.id }),
  );
  if (isMarked) markChanged(tx, panel, 'panels');
};

/** The servers of a bot that have posted panels in these channels, or anywhere in these guilds. */
export const listServersWithPanels = (
  tx: Transaction,
  { accountId, botId }: { accountId: string; botId: string },
  { channelIds, guildIds }: { channelIds: string[]; guildIds: string[] },
) =>
  tx
    .selectDistinct({ serverId: panels.serverId })
    .from(panels)
    .innerJoin(servers, eq(servers.id, panels.serverId))
    .where(
      and(
        ...[eq(panels.accountId, accountId), eq(servers.customBotId, botId), isPosted],
        or(
          inArray(panels.messageChannelId, channelIds),
          inArray(servers.platformGuildId, guildIds),
        ),
      ),
    );

/** All servers with posted panels, in the order of their ids. */
export const listAllWithPanels = (db: Queryable, after: string, limit: number) =>
  db
    .selectDistinct({ serverId: panels.serverId, accountId: panels.accountId })
    .from(panels)
    .where(and(isPosted, gt(panels.serverId, after)))
    .orderBy(panels.serverId)
    .limit(limit);

/** All servers with panels for which something is to be done, in the order of their ids. */
export const listAllWithDuePanels = (db: Queryable, after: string, limit: number) =>
  db
    .selectDistinct({ serverId: panels.serverId, accountId: panels.accountId })
    .from(panels)
    .innerJoin(servers, eq(servers.id, panels.serverId))
    .where(and(hasWork, isNull(servers.deletedAt), gt(panels.serverId, after)))
    .orderBy(panels.serverId)
    .limit(limit);

/** Every message of the server's panels that may be on the platform. */
export const listMessagesOf = async (tx: Transaction, server: Owned) => {
  const rows = await tx
    .select({
      ...{ messageId: panels.messageId, channelId: panels.messageChannelId },
      ...{ staleMessageId: panels.staleMessageId, staleChannelId: panels.staleChannelId },
    })
    .from(panels)
    .where(ofServer(server));
  return rows
    .flatMap(({ messageId, channelId, staleMessageId, staleChannelId }) => [
      { messageId, channelId },
      { messageId: staleMessageId, channelId: staleChannelId },
    ])
    .flatMap(({ messageId, channelId }) =>
      messageId !== null && channelId !== null ? { messageId, channelId } : [],
    );
};

export const listServersOfAccount = (tx: Transaction, accountId: string) =>
  tx
    .selectDistinct({ serverId: panels.serverId })
    .from(panels)
    .where(eq(panels.accountId, accountId));
