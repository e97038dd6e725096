import type { Queryable } from '../../../db/connect.ts';
import type { Channel } from '../../../platform/guild.ts';
import type { GuildPlatform } from '../../../platform/port.ts';
import { isRefusalOfRoles } from '../../pulls/roles/give-missing.ts';
import { resolveRestoredIds } from '../../servers/restored-ids/resolve.ts';
import type { OverwriteTaken } from '../queries/returns.ts';

/** Gives somebody back what was taken of their overwrites; false where the platform refuses it. */
export type GiveOverwrites = (platformId: string) => Promise<boolean>;

/** Channels that are gone are left out; those that a restore made again count as what they were. */
export const prepareOverwrites = async (
  db: Queryable,
  guild: GuildPlatform,
  { accountId, taken }: { accountId: string; taken: readonly OverwriteTaken[] },
): Promise<GiveOverwrites> => {
  if (taken.length === 0) return async () => true;
  const channels = new Map((await guild.readChannels()).map((one) => [one.id, one]));
  const now = await resolveRestoredIds(db, accountId, 'channels', {
    ids: [...new Set(taken.map(({ channelId }) => channelId))],
    liveIds: new Set(channels.keys()),
    onlyCreated: true,
  });
  return async (platformId) => {
    const own = taken.filter(({ executorId }) => executorId === platformId);
    const byChannel = Map.groupBy(own, ({ channelId }) => now[channelId] ?? '');
    let isWhole = true;
    for (const [channelId, parts] of byChannel) {
      const channel = channels.get(channelId);
      const bits = parts.reduce((all, part) => all | BigInt(part.taken), 0n);
      if (channel && !(await giveOne(guild, channel, platformId, bits))) isWhole = false;
    }
    return isWhole;
  };
};

const giveOne = async (
  guild: GuildPlatform,
  { id: channelId, overwrites }: Channel,
  platformId: string,
  taken: bigint,
): Promise<boolean> => {
  const blank = { kind: 'member' as const, id: platformId, allow: '0', deny: '0' };
  const present =
    overwrites.find(({ kind, id }) => kind === 'member' && id === platformId) ?? blank;
  const allow = BigInt(present.allow);
  // What somebody has denied them since stays denied.
  const wanted = allow | (taken & ~BigInt(present.deny));
  if (wanted === allow) return true;
  return guild.setOverwrite(channelId, { ...present, allow: wanted.toString() }).then(
    () => true,
    (error: unknown) => {
      if (isRefusalOfRoles(error)) return false;
      throw error;
    },
  );
};
