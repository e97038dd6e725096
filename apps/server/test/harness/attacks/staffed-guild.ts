import { permission } from '../../../src/platform/permissions.ts';
import { freshId } from '../simulator/platform.ts';

const powersOf = {
  admin: permission.administrator,
  moderator:
    permission.kickMembers |
    permission.banMembers |
    permission.moderateMembers |
    permission.manageMessages |
    permission.manageNicknames |
    permission.manageRoles |
    permission.viewAuditLog,
  channelBot: permission.manageChannels | permission.manageRoles,
  roleBot: permission.manageRoles,
};

export type Staff = { id: string; isBot: boolean; rank: keyof typeof powersOf };

/** Somebody with power in a guild, by a role of their own. */
export const newStaff = (rank: Staff['rank'], { isBot = false } = {}): Staff => ({
  ...{ id: freshId(), isBot, rank },
});

type Size = { channels: number; roles: number; emojis: number; members: number };

const usualSize: Size = { channels: 60, roles: 25, emojis: 20, members: 120 };

const longAgo = '2024-03-01T10:00:00.000Z';

/**
 * A guild with an owner, staff, and plenty to destroy, as the simulator's control takes it. Every
 * second member, beginning with the first, has no role; member n has the role n (from the start again). No other bot than those of the staff is in it until one asks, which then stands
 * above all of them, as Holdfast's does.
 */
export const staffedGuild = (
  guildId: string,
  { ownerId, staff, size = {} }: { ownerId: string; staff: Staff[]; size?: Partial<Size> },
) => {
  const { channels, roles, emojis, members } = { ...usualSize, ...size };
  const harmless = times(roles, (n) => ({
    ...{ id: freshId(), name: `role-${n}`, permissions: permission.sendMessages.toString() },
  }));
  const powers = staff.map(({ id, isBot, rank }) => ({
    ...{ id: freshId(), name: `${rank}-${id}`, permissions: powersOf[rank].toString() },
    ...(isBot && { managed: true, tags: { bot_id: id } }),
  }));
  const everyone = permission.viewChannel | permission.sendMessages | permission.connect;
  return {
    guild: { name: 'Harbour', owner_id: ownerId, premium_tier: 2 },
    // Each is above those before it.
    roles: [
      { id: guildId, name: '@everyone', permissions: everyone.toString() },
      ...harmless,
      ...powers,
    ],
    channels: times(channels, (n) => ({ id: freshId(), name: `channel-${n}`, type: 0 })),
    emojis: times(emojis, (n) => ({ id: freshId(), name: `emoji_${n}` })),
    members: [
      { user: { id: ownerId, bot: false }, joined_at: longAgo },
      ...staff.map(({ id, isBot }, n) => ({
        ...{ user: { id, bot: isBot }, roles: [powers[n]?.id], joined_at: longAgo },
      })),
      ...times(members, (n) => ({
        ...{ user: { id: freshId(), bot: false }, nick: `member-${n}`, joined_at: longAgo },
        roles: n % 2 === 0 ? [] : [harmless[n % harmless.length]?.id ?? guildId],
      })),
    ],
  };
};

const times = <Item>(length: number, make: (n: number) => Item): Item[] =>
  Array.from({ length }, (_, n) => make(n));
