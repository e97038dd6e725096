import type { Guild } from '../guild/guild.ts';
import { restoreGuild, type Snapshot } from '../guild/snapshot.ts';
import { mayJoin, placeBot } from '../member/join-bot.ts';
import type { Platform } from '../platform.ts';
import { announce, type By } from './announce.ts';
import { type Part, watch } from './watch.ts';

/** In the order in which they are told. */
const ALL_PARTS: Part[] = [
  ...(['settings', 'roles', 'channels', 'threads', 'emojis', 'stickers', 'members'] as const),
  ...(['bans', 'messages', 'invites', 'webhooks', 'automod', 'events', 'soundboard'] as const),
];

/** Sets a guild anew. Who is connected is told of everything that is different. */
export const replaceGuild = (
  platform: Platform,
  by: By,
  guildId: string,
  snapshot: Snapshot,
): void => {
  const { world, identities, gateway } = platform;
  const before = world.guilds.get(guildId);
  const watched = before && gateway.isHeard(before) ? watch(before, ...ALL_PARTS) : undefined;
  const guild = restoreGuild(world, identities, guildId, snapshot);
  if (!before || !watched) {
    for (const { id } of gateway.listenersIn(guild)) gateway.tellGuild(id, guild);
    return;
  }
  keepListeners(platform, before, guild);
  announce(platform, by, watched, guild);
};

/** A connected bot stays where bots may join by asking: it would be back with its next request. */
const keepListeners = (platform: Platform, before: Guild, guild: Guild) => {
  for (const bot of platform.gateway.listenersIn(before)) {
    if (guild.members.has(bot.id) || !mayJoin(guild, bot.id)) continue;
    const isOwn = ({ tags }: { tags?: { bot_id?: string } }) => tags?.bot_id === bot.id;
    const role = [...before.roles.values()].find(isOwn);
    const joined = before.members.get(bot.id);
    const member = placeBot(platform, guild, bot, { roleId: role?.id });
    member.joined_at = joined?.joined_at ?? member.joined_at;
  }
};
