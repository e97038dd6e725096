import fc from 'fast-check';
import { channelSettings } from '../../../src/features/restores/plan/action.ts';
import { permissionSet, plainKind, type TestGuild } from './arbitrary-guild.ts';
import { newBan, newChannel, newRole } from './parts.ts';

/** What happens to a server between its backup and its restore. */
const blow = fc.oneof(
  fc.record({ what: fc.constant('deleteChannel' as const), at: fc.nat(60) }),
  fc.record({ what: fc.constant('deleteRole' as const), at: fc.nat(20) }),
  fc.record({ what: fc.constant('renameRole' as const), at: fc.nat(20) }),
  fc.record({ what: fc.constant('empower' as const), at: fc.nat(20), permissions: permissionSet }),
  fc.record({ what: fc.constant('everyone' as const), permissions: permissionSet }),
  fc.record({ what: fc.constant('openChannel' as const), at: fc.nat(60) }),
  fc.record({ what: fc.constant('addRole' as const), permissions: permissionSet }),
  fc.record({ what: fc.constant('addChannel' as const), isHidden: fc.boolean() }),
  fc.record({ what: fc.constant('community' as const) }),
  fc.record({ what: fc.constant('rename' as const) }),
  fc.record({ what: fc.constant('deleteEmoji' as const) }),
  fc.record({ what: fc.constant('addEmoji' as const) }),
  fc.record({ what: fc.constant('banWave' as const) }),
  fc.record({ what: fc.constant('stripMembers' as const) }),
  fc.record({ what: fc.constant('turnRoles' as const) }),
);
type Blow = typeof blow extends fc.Arbitrary<infer One> ? One : never;

export const arbitraryDamage = fc.array(blow, { maxLength: 12 });

export const damageGuild = (guild: TestGuild, blows: Blow[]): TestGuild => {
  const wrecked = structuredClone(guild);
  for (const [index, one] of blows.entries()) strike(wrecked, one, `95000000000000${1000 + index}`);
  return wrecked;
};

const strike = (guild: TestGuild, one: Blow, newId: string) => {
  switch (one.what) {
    case 'deleteChannel':
      return deleteChannel(guild, one.at);
    case 'deleteRole':
      return deleteRole(guild, one.at);
    case 'renameRole':
      return changeRole(guild, one.at, { name: 'Owned' });
    case 'empower':
      return changeRole(guild, one.at, { permissions: one.permissions });
    case 'everyone': {
      const everyone = guild.roles.find(({ id }) => id === guild.guildId);
      if (everyone) everyone.permissions = one.permissions;
      return;
    }
    case 'openChannel': {
      const channel = guild.channels[one.at];
      if (channel) channel.overwrites = [];
      return;
    }
    case 'addRole':
      return addRole(guild, newId, one.permissions);
    case 'addChannel': {
      const shut = { id: guild.guildId, kind: 'role' as const, allow: '0', deny: '1024' };
      const overwrites = one.isHidden ? [shut] : [];
      guild.channels.push(newChannel({ id: newId, kind: 'text', name: 'general', overwrites }));
      return;
    }
    case 'community':
      return toggleCommunity(guild);
    case 'rename':
      guild.settings = { ...guild.settings, name: 'Owned', systemChannelFlags: 3 };
      return;
    default:
      return strikePeopleAndPictures(guild, one, newId);
  }
};

const strikePeopleAndPictures = (guild: TestGuild, one: Blow, newId: string) => {
  switch (one.what) {
    case 'deleteEmoji':
      guild.emojis.shift();
      guild.stickers.shift();
      return;
    case 'addEmoji': {
      const emoji = { name: 'owned', isAnimated: false, isManaged: false, roleIds: [] };
      guild.emojis.push({ ...emoji, id: newId });
      return;
    }
    case 'banWave':
      guild.bans = [newBan('501'), newBan('599')];
      return;
    case 'stripMembers':
      for (const member of guild.members) {
        if (!member.isBot) Object.assign(member, { nick: 'Owned', roleIds: [] });
      }
      return;
    case 'turnRoles': {
      const movable = guild.roles.slice(1, -1);
      const places = movable.map(({ position }) => position).sort((a, b) => b - a);
      movable.forEach((role, index) => {
        role.position = places[index] ?? role.position;
      });
      guild.roles.sort((a, b) => a.position - b.position);
      return;
    }
    default:
      throw new Error(`Unknown blow ${one.what}`);
  }
};

/** Not everyone, not the bot's own. */
const movableRole = (guild: TestGuild, at: number) => guild.roles.slice(1, -1)[at];

const changeRole = (guild: TestGuild, at: number, changes: object) => {
  const role = movableRole(guild, at);
  if (role && !role.isManaged) Object.assign(role, changes);
};

const deleteRole = (guild: TestGuild, at: number) => {
  const role = movableRole(guild, at);
  if (!role || role.isManaged) return;
  guild.roles = guild.roles.filter(({ id }) => id !== role.id);
  guild.roles.forEach((other, position) => {
    other.position = position;
  });
  for (const channel of guild.channels) {
    channel.overwrites = channel.overwrites.filter(({ id }) => id !== role.id);
  }
  for (const holder of [...guild.members, ...guild.emojis]) {
    holder.roleIds = holder.roleIds.filter((id) => id !== role.id);
  }
};

const addRole = (guild: TestGuild, id: string, permissions: string) => {
  guild.roles.splice(1, 0, newRole({ id, name: 'Staff', permissions }));
  guild.roles.forEach((role, position) => {
    role.position = position;
  });
};

const deleteChannel = (guild: TestGuild, at: number) => {
  const channel = guild.channels[at];
  if (!channel) return;
  const { rulesChannelId, publicUpdatesChannelId, features } = guild.settings;
  const isNeeded = [rulesChannelId, publicUpdatesChannelId].includes(channel.id);
  if (isNeeded && features.includes('COMMUNITY')) return;
  guild.channels.splice(at, 1);
  for (const other of guild.channels) if (other.parentId === channel.id) other.parentId = null;
  for (const setting of channelSettings) {
    if (guild.settings[setting] === channel.id) guild.settings[setting] = null;
  }
};

const toggleCommunity = (guild: TestGuild) => {
  const { settings } = guild;
  const text = guild.channels.find(({ kind }) => kind === 'text');
  if (settings.features.includes('COMMUNITY')) {
    settings.features = settings.features.filter((name) => name !== 'COMMUNITY');
    Object.assign(settings, { rulesChannelId: null, publicUpdatesChannelId: null });
    for (const channel of guild.channels) channel.kind = plainKind(channel.kind);
  } else if (text) {
    settings.features = [...settings.features, 'COMMUNITY'];
    Object.assign(settings, { rulesChannelId: text.id, publicUpdatesChannelId: text.id });
  }
};
