import type { Transaction } from '../../../db/connect.ts';
import type { GuildEvent } from '../../../platform/gateway/events.ts';
import type { Platform } from '../../../platform/port.ts';
import { type LiveGuild, storeLiveGuild } from '../queries.ts';
import { iconUrlOf } from './guild-summary.ts';

type Bot = { botId: string; accountId: string };

/** Keeps name, icon and member count of servers as their guilds have them. */
export const followGuilds =
  (platform: Pick<Platform, 'imageUrl'>) =>
  async (tx: Transaction, bot: Bot, events: readonly GuildEvent[]): Promise<void> => {
    for (const [guildId, guild] of sumUp(platform, events)) {
      await storeLiveGuild(tx, { ...bot, guildId }, guild);
    }
  };

/** One change for each guild, however many people came and went. */
const sumUp = (platform: Pick<Platform, 'imageUrl'>, events: readonly GuildEvent[]) => {
  const guilds = new Map<string, LiveGuild>();
  for (const event of events) {
    if (event.kind === 'guildsListed') continue;
    const change = changeOf(platform, event);
    if (!change) continue;
    const before = guilds.get(event.guildId);
    guilds.set(event.guildId, before ? { ...before, ...change(before) } : change({}));
  }
  return guilds;
};

type GuildsEvent = Exclude<GuildEvent, { kind: 'guildsListed' }>;

const changeOf = (
  platform: Pick<Platform, 'imageUrl'>,
  event: GuildsEvent,
): ((before: LiveGuild) => LiveGuild) | undefined => {
  switch (event.kind) {
    case 'guildAvailable': {
      const { memberCount } = event;
      return () => ({ ...faceOf(platform, event), memberCount, joined: 0 });
    }
    case 'guildChanged':
      return () => faceOf(platform, event);
    case 'memberJoined':
      return ({ joined = 0 }) => ({ joined: joined + 1 });
    case 'memberLeft':
      return ({ joined = 0 }) => ({ joined: joined - 1 });
    default:
      return undefined;
  }
};

const faceOf = (
  platform: Pick<Platform, 'imageUrl'>,
  { guildId, name, iconHash }: { guildId: string; name: string; iconHash: string | null },
) => ({ name, iconUrl: iconUrlOf(platform, guildId, iconHash) });
