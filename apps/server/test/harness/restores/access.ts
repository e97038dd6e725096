import type { Channel, Overwrite } from '../../../src/platform/guild.ts';
import { BOT, type TestGuild } from '../guilds/arbitrary-guild.ts';

/**
 * Who may do what in which channel, computed as the platform documents it and by no code of the
 * service. A person who does not see a channel can do nothing in it.
 */
type Access = {
  guildId: string;
  bits: Map<string, Map<string, bigint>>;
  administrators: Set<string>;
};

const all = -1n;
const administrator = 1n << 3n;
const view = 1n << 10n;

/** Every member, somebody without roles, and somebody with each role alone. */
const people = ({
  members,
  roles,
}: TestGuild): { name: string; userId: string; held: string[] }[] => [
  ...members.map(({ userId, roleIds }) => ({ name: `member ${userId}`, userId, held: roleIds })),
  ...roles.map(({ id }) => ({ name: `holder of ${id}`, userId: '', held: [id] })),
];

/** By channel and person. */
export const readAccess = (guild: TestGuild): Access => ({
  guildId: guild.guildId,
  administrators: new Set(
    people(guild)
      .filter(({ held }) => baseOf(guild, new Set(held)) & administrator)
      .map(({ name }) => name),
  ),
  bits: new Map(
    guild.channels.map((channel) => [
      channel.id,
      new Map(
        people(guild).map(({ name, userId, held }) => [
          name,
          accessTo(guild, channel, userId, new Set(held)),
        ]),
      ),
    ]),
  ),
});

/** Without a role that is not there, its holder is somebody without roles. */
const lookUp = ({ guildId, bits }: Access, channelId: string, name: string): bigint => {
  const ofChannel = bits.get(channelId);
  return ofChannel?.get(name) ?? ofChannel?.get(`holder of ${guildId}`) ?? 0n;
};

const accessTo = (
  guild: TestGuild,
  channel: Channel,
  userId: string,
  held: Set<string>,
): bigint => {
  const base = baseOf(guild, held);
  if (base & administrator) return all;
  const ofRoles = channel.overwrites.filter(({ kind }) => kind === 'role');
  const layers = [
    ofRoles.filter(({ id }) => id === guild.guildId),
    ofRoles.filter(({ id }) => id !== guild.guildId && held.has(id)),
    channel.overwrites.filter(({ kind, id }) => kind === 'member' && id === userId),
  ];
  const granted = layers.reduce(applyLayer, base);
  return granted & view ? granted : 0n;
};

const baseOf = ({ guildId, roles }: TestGuild, held: Set<string>): bigint =>
  sum(roles.filter(({ id }) => id === guildId || held.has(id)).map((role) => role.permissions));

const applyLayer = (granted: bigint, layer: Overwrite[]): bigint =>
  (granted & ~sum(layer.map(({ deny }) => deny))) | sum(layer.map(({ allow }) => allow));

const sum = (sets: string[]): bigint => sets.reduce((bits, one) => bits | BigInt(one), 0n);

/**
 * What somebody may do at this moment that they could not before and will not afterwards. A channel that
 * is new is empty, and one that is about to be deleted counts only for who sees it: for both it is roles
 * that count, not who holds them, and administrators see everything. The restoring bot lets itself into
 * channels that it closes, to be able to open them again.
 */
export const findOpened = (before: Access, now: Access, after: Access): string[] =>
  [...now.bits].flatMap(([channelId, ofChannel]) =>
    [...ofChannel].flatMap(([name, bits]) => {
      if (name === `member ${BOT.userId}`) return [];
      const isDoomed = !after.bits.has(channelId);
      const isNew = !before.bits.has(channelId);
      if ((isNew || isDoomed) && name.startsWith('member')) return [];
      if (isDoomed && after.administrators.has(name)) return [];
      const allowed = lookUp(before, channelId, name) | lookUp(after, channelId, name);
      const opened = bits & ~allowed & (isDoomed ? view : all);
      return opened === 0n ? [] : [`${name} in ${channelId}: ${opened}`];
    }),
  );
