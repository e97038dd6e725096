import type { Transaction } from '../../../db/connect.ts';
import { hasActiveRestore } from '../../restores/queries/restores.ts';
import { listServersOfBot, lockHealth, storeGuildNews } from '../../servers/health/queries.ts';
import { storeSeenPointers } from '../../servers/pointers/move-pointers.ts';
import { assessHealth, liveOf } from '../assess/assess.ts';
import { findLiveGuild, type LiveRow, storeLiveChanges, storeSeenGuild } from '../queries.ts';
import type { LiveGuild, Pointers } from '../rules.ts';
import type { GuildEvent } from './guild-event.ts';
import { applyEvent, type KnownGuild } from './live-guild.ts';

type Bot = { botId: string; accountId: string };
type Stored = NonNullable<Awaited<ReturnType<typeof lockHealth>>>;
type InGuild = { accountId: string; serverId: string; guildId: string };

type Dependencies = { iconUrlOf(guildId: string, iconHash: string | null): string | null };

/**
 * What is reported of a bot's guilds is stored and judged in one transaction: the health is never that of
 * another state. Servers are locked in the order of their ids.
 */
export const createGuildListener =
  ({ iconUrlOf }: Dependencies) =>
  async (tx: Transaction, bot: Bot, events: readonly GuildEvent[]): Promise<void> => {
    for (const { serverId, guildId } of await listServersOfBot(tx, bot)) {
      const concerned = events.filter(
        (event) => event.kind === 'guildsListed' || event.guildId === guildId,
      );
      if (concerned.length === 0) continue;
      const server = { accountId: bot.accountId, serverId, guildId };
      const stored = await lockHealth(tx, server);
      if (stored?.guildId !== guildId) continue;
      const live = await findLiveGuild(tx, server);
      const start = { live, memberCount: stored.memberCount, isSeen: false };
      const known = concerned.reduce<KnownGuild>(
        (before, event) => applyEvent(before, guildId, event),
        start,
      );
      await storeGuildNews(tx, server, {
        memberCount: known.memberCount,
        ...(known.iconHash !== undefined && { iconUrl: iconUrlOf(guildId, known.iconHash) }),
        ...findNewName(live, known.live),
      });
      if (known.live === live) continue;
      const isSeen = known.isSeen || live === undefined;
      await storeAndJudge(tx, server, stored, { ...known, isSeen });
    }
  };

/** An owner's own name for the server stays until the guild is renamed. */
const findNewName = (before: LiveRow | undefined, now: LiveRow | undefined): { name?: string } =>
  before?.name && now?.name && before.name !== now.name ? { name: now.name } : {};

const storeAndJudge = async (
  tx: Transaction,
  server: InGuild,
  stored: Stored,
  { live, isSeen }: KnownGuild,
): Promise<void> => {
  if (!live) return;
  const { isInGuild, name, channelIds, roleIds, managedRoleIds } = live;
  const row = { isInGuild, name, channelIds, roleIds, managedRoleIds };
  await (isSeen ? storeSeenGuild(tx, server, row) : storeLiveChanges(tx, server, row));
  const now = liveOf(live);
  if (isInGuild && arePointersOutdated(stored, now) && !(await hasActiveRestore(tx, server))) {
    await storeSeenPointers(tx, server, {
      ...(now.roleIds && { roles: now.roleIds }),
      ...(now.channelIds && { channels: now.channelIds }),
    });
  }
  await assessHealth(tx, server);
};

/** Whether what is noted as missing is there, or the other way round. */
const arePointersOutdated = (pointers: Pointers, { roleIds, channelIds }: LiveGuild): boolean => {
  const { verifiedRoleId, logChannelId, missingRoleId, missingChannelId } = pointers;
  return (
    (verifiedRoleId !== null &&
      roleIds?.has(verifiedRoleId) === (verifiedRoleId === missingRoleId)) ||
    (logChannelId !== null && channelIds?.has(logChannelId) === (logChannelId === missingChannelId))
  );
};
