import fc from 'fast-check';
import type { Channel, Role } from '../../../src/platform/guild.ts';
import { permissionSet, type TestGuild } from './arbitrary-guild.ts';
import { newBan, newChannel, newRole } from './parts.ts';

/**
 * What people do to a server between its backup and its repair, by hand or by accident. What they add
 * has names of its own, so that it is never taken for what the backup knows.
 */
const at = fc.nat(60);
const edit = fc.oneof(
  fc.record({ what: fc.constant('renameChannel' as const), at }),
  fc.record({
    what: fc.constant('describeChannel' as const),
    at,
    topic: fc.constantFrom(null, 'x'),
  }),
  fc.record({ what: fc.constant('deleteChannel' as const), at }),
  fc.record({ what: fc.constant('moveChannel' as const), at, to: fc.nat(8) }),
  fc.record({ what: fc.constant('convertChannel' as const), at }),
  fc.record({ what: fc.constant('addChannel' as const), to: fc.nat(8), isHidden: fc.boolean() }),
  fc.record({ what: fc.constant('turnChannels' as const), at, by: fc.nat(9) }),
  fc.record({
    ...{ what: fc.constant('setOverwrite' as const), at, role: fc.nat(9) },
    ...{ allow: permissionSet, deny: permissionSet },
  }),
  fc.record({ what: fc.constant('clearOverwrites' as const), at }),
  fc.record({ what: fc.constant('renameRole' as const), at }),
  fc.record({ what: fc.constant('deleteRole' as const), at }),
  fc.record({ what: fc.constant('addRole' as const), permissions: permissionSet }),
  fc.record({ what: fc.constant('setPermissions' as const), at, permissions: permissionSet }),
  fc.record({ what: fc.constant('setEveryone' as const), permissions: permissionSet }),
  fc.record({ what: fc.constant('turnRoles' as const), at }),
  fc.record({ what: fc.constant('giveRoles' as const), at, roles: fc.array(fc.nat(9)) }),
  fc.record({ what: fc.constant('nickname' as const), at }),
  fc.record({ what: fc.constant('renameEmoji' as const), at }),
  fc.record({ what: fc.constant('deleteEmoji' as const), at }),
  fc.record({ what: fc.constant('addEmoji' as const) }),
  fc.record({ what: fc.constant('ban' as const), userId: fc.constantFrom('502', '598', '599') }),
  fc.record({ what: fc.constant('unban' as const) }),
  fc.record({ what: fc.constant('renameServer' as const) }),
);
type Edit = typeof edit extends fc.Arbitrary<infer One> ? One : never;

export const arbitraryEdits = fc.array(edit, { maxLength: 10 });

export const editGuild = (guild: TestGuild, edits: Edit[]): TestGuild => {
  const edited = structuredClone(guild);
  for (const [index, one] of edits.entries()) {
    const newId = `95000000000000${1000 + index}`;
    if (!editChannels(edited, one, newId) && !editRoles(edited, one, newId)) {
      editRest(edited, one, newId);
    }
  }
  return edited;
};

const pick = <Thing>(things: Thing[], index: number): Thing | undefined =>
  things[index % Math.max(things.length, 1)];

/** False where the edit is about something else. */
const editChannels = (guild: TestGuild, one: Edit, newId: string): boolean => {
  const channel = 'at' in one ? pick(guild.channels, one.at) : undefined;
  switch (one.what) {
    case 'renameChannel':
      if (channel) channel.name = `renamed-${newId.slice(-3)}`;
      return true;
    case 'describeChannel':
      if (channel?.kind === 'text') channel.topic = one.topic;
      return true;
    case 'deleteChannel':
      if (channel) deleteChannel(guild, channel);
      return true;
    case 'moveChannel':
      if (channel && channel.kind !== 'category') channel.parentId = categoryAt(guild, one.to);
      return true;
    case 'convertChannel':
      if (channel) convert(guild, channel);
      return true;
    case 'addChannel': {
      const shut = { id: guild.guildId, kind: 'role' as const, allow: '0', deny: '1024' };
      const place = { parentId: categoryAt(guild, one.to), position: one.to };
      const overwrites = one.isHidden ? [shut] : [];
      const name = `extra-${newId.slice(-3)}`;
      guild.channels.push(newChannel({ id: newId, kind: 'text', name, overwrites, ...place }));
      return true;
    }
    case 'turnChannels':
      if (channel) channel.position = one.by;
      return true;
    case 'setOverwrite': {
      const role = pick(guild.roles, one.role);
      if (!channel || !role) return true;
      const deny = (BigInt(one.deny) & ~BigInt(one.allow)).toString();
      const others = channel.overwrites.filter(({ id }) => id !== role.id);
      channel.overwrites = [...others, { id: role.id, kind: 'role', allow: one.allow, deny }];
      return true;
    }
    case 'clearOverwrites':
      if (channel) channel.overwrites = [];
      return true;
    default:
      return false;
  }
};

/** Not everyone, not the bot's own. */
const rolesInReach = (guild: TestGuild): Role[] =>
  guild.roles.slice(1, -1).filter(({ isManaged }) => !isManaged);

const editRoles = (guild: TestGuild, one: Edit, newId: string): boolean => {
  const role = 'at' in one ? pick(rolesInReach(guild), one.at) : undefined;
  switch (one.what) {
    case 'renameRole':
      if (role) role.name = `Renamed ${newId.slice(-3)}`;
      return true;
    case 'deleteRole':
      if (role) deleteRole(guild, role);
      return true;
    case 'addRole': {
      const name = `Extra ${newId.slice(-3)}`;
      guild.roles.splice(1, 0, newRole({ id: newId, name, permissions: one.permissions }));
      renumber(guild.roles);
      return true;
    }
    case 'setPermissions':
      if (role) role.permissions = one.permissions;
      return true;
    case 'setEveryone':
      Object.assign(guild.roles[0] ?? {}, { permissions: one.permissions });
      return true;
    case 'turnRoles': {
      const index = role ? guild.roles.indexOf(role) : -1;
      if (!role || index < 1) return true;
      guild.roles.splice(index, 1);
      guild.roles.splice(1, 0, role);
      renumber(guild.roles);
      return true;
    }
    default:
      return false;
  }
};

const editRest = (guild: TestGuild, one: Edit, newId: string): void => {
  const people = guild.members.filter(({ isBot }) => !isBot);
  const member = 'at' in one ? pick(people, one.at) : undefined;
  switch (one.what) {
    case 'giveRoles': {
      const given = one.roles.flatMap((index) => pick(rolesInReach(guild), index)?.id ?? []);
      if (member) member.roleIds = [...new Set(given)];
      return;
    }
    case 'nickname':
      if (member) member.nick = 'Renamed';
      return;
    case 'renameEmoji':
      Object.assign(pick(guild.emojis, one.at) ?? {}, { name: `renamed_${newId.slice(-3)}` });
      return;
    case 'deleteEmoji':
      guild.emojis.splice(one.at % Math.max(guild.emojis.length, 1), 1);
      return;
    case 'addEmoji': {
      const fields = { name: `extra_${newId.slice(-3)}`, isAnimated: false, isManaged: false };
      guild.emojis.push({ ...fields, id: newId, roleIds: [] });
      return;
    }
    case 'ban':
      if (guild.bans.every(({ userId }) => userId !== one.userId)) {
        guild.bans.push(newBan(one.userId));
      }
      return;
    case 'unban':
      guild.bans.shift();
      return;
    case 'renameServer':
      guild.settings = { ...guild.settings, name: 'Renamed' };
      return;
    default:
      throw new Error(`Unknown edit ${one.what}`);
  }
};

const categoryAt = (guild: TestGuild, index: number): string | null => {
  const categories = guild.channels.filter(({ kind }) => kind === 'category');
  return [null, ...categories.map(({ id }) => id)][index % (categories.length + 1)] ?? null;
};

const convert = (guild: TestGuild, channel: Channel) => {
  if (!guild.settings.features.includes('COMMUNITY') || isNeeded(guild, channel)) return;
  if (channel.kind === 'text') Object.assign(channel, { kind: 'announcement', slowModeSeconds: 0 });
  else if (channel.kind === 'announcement') channel.kind = 'text';
};

const isNeeded = ({ settings }: TestGuild, { id }: Channel): boolean =>
  [settings.rulesChannelId, settings.publicUpdatesChannelId].includes(id);

const deleteChannel = (guild: TestGuild, channel: Channel) => {
  if (isNeeded(guild, channel)) return;
  guild.channels = guild.channels.filter(({ id }) => id !== channel.id);
  for (const other of guild.channels) if (other.parentId === channel.id) other.parentId = null;
  const { settings } = guild;
  if (settings.systemChannelId === channel.id) settings.systemChannelId = null;
  if (settings.afkChannelId === channel.id) settings.afkChannelId = null;
};

const deleteRole = (guild: TestGuild, role: Role) => {
  guild.roles = guild.roles.filter(({ id }) => id !== role.id);
  renumber(guild.roles);
  for (const channel of guild.channels) {
    channel.overwrites = channel.overwrites.filter(({ id }) => id !== role.id);
  }
  for (const holder of [...guild.members, ...guild.emojis]) {
    holder.roleIds = holder.roleIds.filter((id) => id !== role.id);
  }
};

const renumber = (roles: Role[]) => {
  for (const [position, role] of roles.entries()) role.position = position;
};
