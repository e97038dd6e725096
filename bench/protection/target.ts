import type { GatewayBench } from '../gateway/environment.ts';
import { newSnowflake } from '../lib/guilds.ts';

/** What a moderator may who attacks. */
const moderatorPermissions = String((1n << 4n) | (1n << 28n) | (1n << 2n));

export type Target = { guildId: string; attackerIds: string[]; channelIds: string[] };

type Size = { channels: number; attackers: number };

/** A guild with its bot on top, and moderators whose accounts were stolen. */
export const prepareTarget = async (
  { simulator }: Pick<GatewayBench, 'simulator'>,
  { guildId, clientId }: { guildId: string; clientId: string },
  { channels, attackers }: Size,
): Promise<Target> => {
  const [top, mod] = [newSnowflake(), newSnowflake()];
  const attackerIds = Array.from({ length: attackers }, newSnowflake);
  const channelIds = Array.from({ length: channels }, newSnowflake);
  await simulator.setGuild(guildId, {
    roles: [
      { id: guildId, name: '@everyone', permissions: '1024', position: 0 },
      { id: mod, name: 'Moderator', permissions: moderatorPermissions, position: 1 },
      { id: top, name: 'Holdfast', permissions: '8', position: 2 },
    ],
    channels: channelIds.map((id, at) => ({ id, name: `room-${at}`, type: 0 })),
    members: [
      { user: { id: clientId, bot: true }, roles: [top] },
      ...attackerIds.map((id) => ({ user: { id, bot: false }, roles: [mod] })),
    ],
  });
  return { guildId, attackerIds, channelIds };
};
