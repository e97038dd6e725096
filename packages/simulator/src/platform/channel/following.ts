import { announce, byCaller, byNobody } from '../announce/announce.ts';
import { each, watch } from '../announce/watch.ts';
import type { Channel, Guild, Overwrite } from '../guild/guild.ts';
import type { Platform, PlatformContext } from '../platform.ts';

/** Changes a channel in the name of who asks. The channels that follow it are changed by nobody, after it. */
export const changeChannel = (
  platform: Platform,
  c: PlatformContext,
  guild: Guild,
  channel: Channel,
  changes: Partial<Channel>,
) => {
  const isChanged = !isSame(channel, { ...channel, ...changes });
  const followers =
    platform.world.permissionSync.isOn && isChanged ? listFollowers(guild, channel) : [];
  const watched = watch(guild, ['channels', channel.id]);
  const alongside = watch(guild, ...each(followers));
  Object.assign(channel, changes);
  for (const follower of followers) follower.permission_overwrites = copyOverwrites(channel);
  announce(platform, byCaller(c), watched);
  announce(platform, byNobody(c), alongside);
};

export const copyOverwrites = ({ permission_overwrites }: Channel): Overwrite[] =>
  permission_overwrites.map((overwrite) => ({ ...overwrite }));

/** Channels with the overwrites of their category, in any order. */
const listFollowers = ({ channels }: Guild, category: Channel): Channel[] =>
  [...channels.values()].filter(
    (channel) => channel.parent_id === category.id && isSame(channel, category),
  );

const isSame = (channel: Channel, other: Channel): boolean => keyOf(channel) === keyOf(other);

/** What neither allows nor denies counts as absent, as in the platform's own client. */
const keyOf = ({ permission_overwrites }: Channel): string =>
  permission_overwrites
    .filter(({ allow, deny }) => allow !== '0' || deny !== '0')
    .map(({ id, allow, deny }) => `${id} ${allow} ${deny}`)
    .sort()
    .join();
