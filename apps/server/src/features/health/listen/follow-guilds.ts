import type { Transaction } from '../../../db/connect.ts';
import type { GuildEvent } from '../../../platform/gateway/events.ts';
import type { GuildStructure } from '../../backups/last-good/structure.ts';
import { hasActiveRestore } from '../../restores/queries/restores.ts';
import { listServersOfBot, lockHealth } from '../../servers/health/queries.ts';
import { storeSeenPointers } from '../../servers/pointers/move-pointers.ts';
import { assessHealth, type HealthDependencies, liveOf } from '../assess/assess.ts';
import { findLiveGuild, storeLiveChanges, storeSeenGuild } from '../queries.ts';
import type { LiveGuild, Pointers } from '../rules.ts';
import { applyEvent, type KnownGuild } from './live-guild.ts';

type Bot = { botId: string; accountId: string };
type InGuild = Bot & { serverId: string; guildId: string };

/** Events about people and about changes within a channel or role do not count. */
const heeded: ReadonlySet<GuildEvent['kind']> = new Set([
  ...(['guildsListed', 'guildAvailable', 'guildGone'] as const),
  ...(['channelCreated', 'channelDeleted', 'roleCreated', 'roleDeleted'] as const),
]);

/**
 * What is reported of a bot's guilds is stored and judged in one transaction: the health is never that of
 * another state. Servers are locked in the order of their ids.
 */
export const followGuilds = async (
  dependencies: HealthDependencies,
  tx: Transaction,
  bot: Bot,
  events: readonly GuildEvent[],
): Promise<void> => {
  const counted = events.filter(({ kind }) => heeded.has(kind));
  if (counted.length === 0) return;
  for (const { serverId, guildId } of await listServersOfBot(tx, bot)) {
    const concerned = counted.filter(
      (event) => event.kind === 'guildsListed' || event.guildId === guildId,
    );
    if (concerned.length === 0) continue;
    const server = { ...bot, serverId, guildId };
    await followGuild(dependencies, tx, server, concerned);
  }
};

const followGuild = async (
  dependencies: HealthDependencies,
  tx: Transaction,
  server: InGuild,
  events: readonly GuildEvent[],
): Promise<void> => {
  const { accountId, serverId, guildId } = server;
  const stored = await lockHealth(tx, server);
  if (stored?.guildId !== guildId) return;
  const known = await findLiveGuild(tx, server);
  const live = events.reduce<KnownGuild>((one, event) => applyEvent(one, guildId, event), known);
  if (!live || live === known) return;
  const isSeen = !known || events.some(({ kind }) => kind === 'guildAvailable');
  await (isSeen ? storeSeenGuild(tx, server, live) : storeLiveChanges(tx, server, live));
  if (isSeen && known?.isInGuild && live.isInGuild) {
    await dependencies.noteMissed?.(tx, server, goneOf(known, live));
  }
  const now = liveOf(live);
  if (live.isInGuild && arePointersOutdated(stored, now) && !(await hasActiveRestore(tx, server))) {
    await storeSeenPointers(tx, server, {
      ...(now.roleIds && { roles: now.roleIds }),
      ...(now.channelIds && { channels: now.channelIds }),
    });
  }
  await assessHealth(dependencies, tx, { accountId, serverId });
};

/** Roles of integrations go with them. */
const goneOf = (known: GuildStructure, live: GuildStructure): GuildStructure => {
  const [channelIds, roleIds] = [new Set(live.channelIds), new Set(live.roleIds)];
  return {
    channelIds: known.channelIds.filter((id) => !channelIds.has(id)),
    roleIds: known.roleIds.filter((id) => !roleIds.has(id)),
  };
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
