import type { Channel, Emoji, Role } from '../../../platform/guild.ts';
import { newChannelBodyOf } from '../../../platform/translate/channel-body.ts';
import { settingsBodyOf } from '../../../platform/translate/guild.ts';
import { roleBodyOf } from '../../../platform/translate/role.ts';
import type { Structure } from './without-people.ts';

type Cast = {
  ownerId: string;
  bot: { userId: string; roleIds: string[] };
  attacker: { userId: string; roleIds: string[] };
};

/** A guild as the simulator's control takes it: the server's rooms, with three in them. */
export const simulatorStateOf = (
  { settings: [settings], roles, channels, emojis }: Structure,
  { ownerId, bot, attacker }: Cast,
) => ({
  guild: {
    ...(settings && settingsBodyOf(settings)),
    owner_id: ownerId,
    // Boosts decide over limits, which a copy of what is there must not run into.
    premium_tier: 3,
  },
  botAccess: { isMember: false },
  roles: roles.map(roleStateOf),
  channels: channels.map(channelStateOf),
  emojis: emojis.map(emojiStateOf),
  members: [
    memberOf(ownerId, 'owner', []),
    { ...memberOf(bot.userId, 'holdfast', bot.roleIds, true) },
    memberOf(attacker.userId, 'attacker', attacker.roleIds),
  ],
});

const memberOf = (id: string, username: string, roles: string[], isBot = false) => ({
  user: { id, username, bot: isBot },
  roles,
});

const roleStateOf = ({
  id,
  position,
  isManaged,
  botId,
  isOfBoosters,
  isLinked,
  ...role
}: Role) => ({
  ...roleBodyOf(role),
  ...{ id, position, managed: isManaged },
  ...(botId !== null && { tags: { bot_id: botId } }),
  ...(isOfBoosters && { tags: { premium_subscriber: null } }),
  ...(isLinked && { tags: { guild_connections: null } }),
});

const channelStateOf = ({ id, flags, ...channel }: Channel) => ({
  ...newChannelBodyOf({ ...channel, flags }),
  ...{ id, flags },
});

const emojiStateOf = ({ id, name, isAnimated, isManaged, roleIds }: Emoji) => ({
  ...{ id, name, animated: isAnimated, managed: isManaged, roles: roleIds },
});
