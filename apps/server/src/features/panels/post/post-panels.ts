import type { Transaction } from '../../../db/connect.ts';
import { newId } from '../../../kernel/ids.ts';
import { isPassing, PlatformFailure } from '../../../platform/failures.ts';
import type { BotPlatform, GuildPlatform } from '../../../platform/port.ts';
import type { LeasedRun } from '../../../queue/lease/lease.ts';
import { recordAudit } from '../../audit/queries.ts';
import { systemActor } from '../../audit/rules.ts';
import { type BotDependencies, BotUnusable, useBot } from '../../bots/use/use-bot.ts';
import { listAllFormerIds } from '../../servers/pointers/move-pointers.ts';
import { findGuildOfServer, lockServer } from '../../servers/queries.ts';
import { resolveRestoredIds } from '../../servers/restored-ids/resolve.ts';
import {
  type DuePanel,
  deletePanelRow,
  endWork,
  findDuePanel,
  listOtherMessages,
  moveToChannel,
  storeProgress,
} from '../queries/posting.ts';
import { channelGone, sentenceOf, triedAgain } from '../rules.ts';
import { ignoreRefusal, messageOf, removeMessage, urlOf } from './panel-message.ts';

export type PostDependencies = BotDependencies & {
  baseUrl: string;
  /** Judges the health of the server anew: a panel's channel counts for it. */
  assessHealth(tx: Transaction, server: { accountId: string; serverId: string }): Promise<void>;
};
type Run = PostDependencies & LeasedRun & { bot: BotPlatform; guild: GuildPlatform };

/** Brings the messages of a server's panels up to date, one panel after the other. */
export const postPanels = async (
  dependencies: PostDependencies,
  server: { accountId: string; serverId: string },
  { signal, lease }: LeasedRun,
): Promise<void> => {
  for (;;) {
    signal.throwIfAborted();
    const panel = await findDuePanel(dependencies.db, server);
    const place = panel && (await findGuildOfServer(dependencies.db, server));
    // Of a server that is deleted only the rows are left, and they are purged.
    if (!panel || !place) return;
    const owner = { botId: place.botId, accountId: server.accountId };
    try {
      await useBot(dependencies, owner, async (bot) => {
        const guild = bot.guild(place.guildId, { signal });
        await bringUpToDate({ ...dependencies, signal, lease, bot, guild }, panel);
      });
    } catch (failure) {
      await storeFailure({ ...dependencies, lease }, panel, failure);
    }
  }
};

/** One step of it; the panel stays due until nothing is left to do. */
const bringUpToDate = async (run: Run, panel: DuePanel): Promise<void> => {
  const { db, lease, guild } = run;
  if (panel.attemptedAt !== null) return settleAttempt(run, panel, panel.attemptedAt);
  if (panel.staleMessageId !== null) {
    await removeMessage(guild, panel.staleChannelId, panel.staleMessageId);
    const none = { staleMessageId: null, staleChannelId: null };
    return lease.transaction(db, (tx) => storeProgress(tx, panel, none));
  }
  if (panel.deletedAt !== null) {
    await removeMessage(guild, panel.messageChannelId, panel.messageId);
    return lease.transaction(db, (tx) => deletePanelRow(tx, panel));
  }
  const live = new Set((await guild.readChannels()).map(({ id }) => id));
  const channelId = await findChannel(run, panel, live);
  if (channelId === undefined) {
    const gone = { status: 'MISSING', error: channelGone } as const;
    return lease.transaction(db, (tx) => endWork(tx, panel, gone));
  }
  if (channelId !== panel.channelId) return followChannel(run, panel, channelId);
  if (await editInPlace(run, panel)) {
    const posted = { status: 'POSTED', error: null } as const;
    return lease.transaction(db, (tx) => endWork(tx, panel, posted));
  }
  return post(run, panel);
};

/** The panel's channel, or what restores have made of it; after a move back, what it was made from. */
const findChannel = async (
  { db }: Run,
  { accountId, channelId }: DuePanel,
  liveIds: ReadonlySet<string>,
): Promise<string | undefined> => {
  const ids = [channelId];
  const resolved = await resolveRestoredIds(db, accountId, 'channels', { ids, liveIds });
  if (resolved[channelId] !== undefined) return resolved[channelId];
  const former = await listAllFormerIds(db, accountId, 'channels', channelId);
  return former.find((id) => liveIds.has(id));
};

const followChannel = (
  { db, lease, assessHealth }: Run,
  panel: DuePanel,
  to: string,
): Promise<void> =>
  lease.transaction(db, async (tx) => {
    const { accountId, serverId, panelId, channelId: from } = panel;
    // Before the panel: its health is judged below.
    await lockServer(tx, panel);
    if (!(await moveToChannel(tx, panel, to))) return;
    await assessHealth(tx, { accountId, serverId });
    await recordAudit(tx, {
      ...{ accountId, actor: systemActor, action: 'panel.update' },
      subject: { type: 'panel', id: panelId },
      changes: { serverId, channelId: { from, to } },
    });
  });

/**
 * A post without an answer may have arrived. The platform recognises its repetition only for some
 * minutes, so the channel is searched: a panel is never posted twice.
 */
const settleAttempt = async (run: Run, panel: DuePanel, attemptedAt: Date): Promise<void> => {
  const { db, lease, bot, guild } = run;
  const { attemptChannelId } = panel;
  const { userId: authorId } = await bot.readBot({ signal: run.signal });
  const since = new Date(attemptedAt.getTime() - clockDifferenceMs);
  const found = await guild
    .findLinkMessages(attemptChannelId ?? '', { authorId, url: urlOf(run.baseUrl, panel), since })
    .catch((error) => ignoreRefusal(error) ?? []);
  const others = new Set(await listOtherMessages(db, panel));
  const messageId = found.find((id) => !others.has(id) && id !== panel.messageId);
  await lease.transaction(db, (tx) =>
    storeProgress(tx, panel, {
      ...(messageId ? replacedBy(panel, messageId, attemptChannelId ?? '') : {}),
      ...{ attemptedAt: null, attemptChannelId: null },
    }),
  );
};

/** By so much the platform's clock may differ from ours. */
const clockDifferenceMs = 5 * 60_000;

/** The platform's code for a message of another author: the server has another bot by now. */
const foreignMessage = 50005;

/** False where there is no message in the channel that could be edited. */
const editInPlace = async (run: Run, panel: DuePanel): Promise<boolean> => {
  const { messageId, messageChannelId, channelId } = panel;
  if (messageId === null || messageChannelId !== channelId) return false;
  try {
    await run.guild.editLinkMessage(channelId, messageId, messageOf(run.baseUrl, panel));
    return true;
  } catch (error) {
    if (!(error instanceof PlatformFailure)) throw error;
    if (error.kind === 'unknownMessage' || error.code === foreignMessage) return false;
    throw error;
  }
};

const post = async (run: Run, panel: DuePanel): Promise<void> => {
  const { db, lease, guild } = run;
  const { channelId, postId } = panel;
  await lease.transaction(db, (tx) =>
    storeProgress(tx, panel, { attemptedAt: 'now', attemptChannelId: channelId }),
  );
  const message = { ...messageOf(run.baseUrl, panel), id: postId };
  const messageId = await guild.postLinkMessage(channelId, message);
  const isStored = await lease.transaction(db, async (tx) => {
    // Whoever deletes the server lists its messages under this lock.
    if (!(await lockServer(tx, panel))) return false;
    await endWork(tx, panel, {
      ...{ status: 'POSTED', error: null },
      ...{ attemptedAt: null, attemptChannelId: null },
      ...replacedBy(panel, messageId, channelId),
    });
    return true;
  });
  if (!isStored) await removeMessage(guild, channelId, messageId);
};

const replacedBy = (panel: DuePanel, messageId: string, messageChannelId: string) => ({
  ...{ messageId, messageChannelId, postId: newId() },
  ...(panel.messageId !== null && {
    staleMessageId: panel.messageId,
    staleChannelId: panel.messageChannelId,
  }),
});

/** Temporary failures are thrown, so that the job is retried. */
const storeFailure = async (
  { db, lease }: Pick<Run, 'db' | 'lease'>,
  panel: DuePanel,
  failure: unknown,
): Promise<void> => {
  if (!(failure instanceof PlatformFailure || failure instanceof BotUnusable)) throw failure;
  if (failure instanceof PlatformFailure && isPassing(failure)) {
    await lease.transaction(db, (tx) => storeProgress(tx, panel, { error: triedAgain }));
    throw failure;
  }
  await lease.transaction(db, async (tx) => {
    if (panel.deletedAt !== null) return deletePanelRow(tx, panel);
    const error = failure instanceof BotUnusable ? failure.message : sentenceOf(failure);
    const isGone = failure instanceof PlatformFailure && failure.kind === 'unknownChannel';
    await endWork(tx, panel, {
      ...{ status: isGone ? 'MISSING' : 'FAILED', error },
      ...{ attemptedAt: null, attemptChannelId: null },
      ...{ staleMessageId: null, staleChannelId: null },
    });
  });
};
