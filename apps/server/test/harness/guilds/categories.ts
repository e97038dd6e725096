import fc from 'fast-check';
import { permission } from '../../../src/platform/permissions.ts';
import { BOT, type TestGuild } from './arbitrary-guild.ts';
import { newChannel, newRole, plainSettings } from './parts.ts';

/**
 * Small servers whose channels often have the overwrites of their category, or had them, or will have
 * them: few people, few roles, and a handful of overwrites that all of them choose from.
 */

const guildId = '900000000000000000';
const [staff, crew, botRole] = ['900000000000000011', '900000000000000012', BOT.roleIds[0] ?? ''];
const [ann, bo] = ['601', '602'];
const { viewChannel: view, sendMessages: send, manageMessages } = permission;

const overwrite = (id: string, allow: bigint, deny: bigint) => ({
  ...{ id, kind: id.length < 4 ? ('member' as const) : ('role' as const) },
  ...{ allow: allow.toString(), deny: deny.toString() },
});
const shut = overwrite(guildId, 0n, view);
const palette = [
  [],
  [],
  [shut],
  [shut],
  [shut, overwrite(staff, view, 0n)],
  [shut, overwrite(staff, view | manageMessages, 0n)],
  [shut, overwrite(crew, view, 0n)],
  [shut, overwrite(ann, view, 0n)],
  [overwrite(staff, view, 0n)],
  [overwrite(crew, 0n, view)],
  [overwrite(bo, 0n, view)],
  [overwrite(guildId, view, 0n)],
  [overwrite(guildId, 0n, 0n)],
  [overwrite(guildId, 0n, view | send)],
  [overwrite(guildId, view, send)],
  [shut, overwrite(BOT.userId, view, 0n)],
];

const overwrites = fc.constantFrom(...palette);
const roles = fc.subarray([staff, crew]);
const permissions = fc.constantFrom(0n, view, view, view | send, send);

const parent = fc.nat(3);
const child = fc.record({ parent, overwrites, isVoice: fc.boolean(), isSynced: fc.boolean() });
const guildSpec = fc.record({
  everyone: permissions,
  ofRoles: fc.tuple(permissions, permissions),
  categories: fc.array(overwrites, { minLength: 1, maxLength: 3 }),
  children: fc.array(child, { minLength: 1, maxLength: 6 }),
  holders: fc.tuple(roles, roles),
});

export const guildWithCategories: fc.Arbitrary<TestGuild> = guildSpec.map((spec) => {
  const categoryId = (index: number) => `90000000000000020${index}`;
  const named = [staff, crew].map((id, index) =>
    newRole({
      ...{ id, name: ['Staff', 'Crew'][index] ?? '', position: index + 1 },
      permissions: (spec.ofRoles[index] ?? 0n).toString(),
    }),
  );
  return {
    guildId,
    ownerId: '88',
    settings: plainSettings('Harbour'),
    roles: [
      newRole({ id: guildId, name: '@everyone', permissions: spec.everyone.toString() }),
      ...named,
      newRole({
        ...{ id: botRole, name: 'Holdfast', position: 3, isManaged: true, botId: BOT.userId },
        permissions: permission.administrator.toString(),
      }),
    ],
    channels: [
      ...spec.categories.map((all, index) => {
        const fields = { id: categoryId(index), kind: 'category' as const, name: `box ${index}` };
        return newChannel({ ...fields, position: index, overwrites: all });
      }),
      ...spec.children.map(({ parent: at, overwrites: own, isVoice, isSynced }, index) => {
        const all = (isSynced && spec.categories[at]) || own;
        return newChannel({
          ...{ id: `90000000000000021${index}`, kind: isVoice ? 'voice' : 'text' },
          ...{ name: `child-${index}`, position: index + 3, overwrites: all },
          parentId: at < spec.categories.length ? categoryId(at) : null,
        });
      }),
    ],
    ...{ emojis: [], stickers: [], bans: [] },
    members: [
      { userId: ann, nick: null, roleIds: spec.holders[0], isBot: false },
      { userId: bo, nick: null, roleIds: spec.holders[1], isBot: false },
      { userId: BOT.userId, nick: null, roleIds: BOT.roleIds, isBot: true },
    ],
  };
});

const at = fc.nat(8);
const change = fc.oneof(
  { weight: 4, arbitrary: fc.record({ what: fc.constant('set' as const), at, overwrites }) },
  {
    weight: 4,
    arbitrary: fc.record({ what: fc.constant('setCategory' as const), at, overwrites }),
  },
  fc.record({ what: fc.constant('delete' as const), at }),
  fc.record({ what: fc.constant('move' as const), at, parent }),
  fc.record({ what: fc.constant('add' as const), parent, overwrites }),
  fc.record({ what: fc.constant('everyone' as const), permissions }),
  fc.record({ what: fc.constant('role' as const), at: fc.nat(1), permissions }),
  fc.record({ what: fc.constant('removeRole' as const), at: fc.nat(1) }),
  fc.record({ what: fc.constant('hold' as const), at: fc.nat(1), roles }),
);
type Change = typeof change extends fc.Arbitrary<infer One> ? One : never;

export const changesOfChannels = fc.array(change, { minLength: 1, maxLength: 6 });

export const changeChannels = (guild: TestGuild, changes: Change[]): TestGuild => {
  const changed = structuredClone(guild);
  for (const [index, one] of changes.entries()) apply(changed, one, `95000000000000000${index}`);
  for (const channel of changed.channels) {
    channel.overwrites = channel.overwrites.filter(
      ({ kind, id }) => kind === 'member' || changed.roles.some((role) => role.id === id),
    );
  }
  return changed;
};

const apply = (guild: TestGuild, one: Change, newId: string): void => {
  const categories = guild.channels.filter(({ kind }) => kind === 'category');
  const children = guild.channels.filter(({ kind }) => kind !== 'category');
  const pick = <Thing>(things: Thing[], index: number) => things[index % things.length];
  switch (one.what) {
    case 'set':
      Object.assign(pick(children, one.at) ?? {}, { overwrites: one.overwrites });
      return;
    case 'setCategory': {
      const category = pick(categories, one.at);
      if (!category) return;
      const before = JSON.stringify(category.overwrites);
      for (const follower of children) {
        const follows = follower.parentId === category.id && one.at % 2 === 0;
        if (follows && JSON.stringify(follower.overwrites) === before) {
          follower.overwrites = one.overwrites;
        }
      }
      category.overwrites = one.overwrites;
      return;
    }
    case 'delete': {
      const gone = pick(guild.channels, one.at);
      guild.channels = guild.channels.filter((channel) => channel !== gone);
      for (const channel of guild.channels) {
        if (channel.parentId === gone?.id) channel.parentId = null;
      }
      return;
    }
    case 'move':
      Object.assign(pick(children, one.at) ?? {}, { parentId: categories[one.parent]?.id ?? null });
      return;
    case 'add': {
      const parentId = categories[one.parent]?.id ?? null;
      const fields = { id: newId, name: `added-${newId.at(-1)}`, position: 20, parentId };
      guild.channels.push(newChannel({ ...fields, kind: 'text', overwrites: one.overwrites }));
      return;
    }
    case 'everyone':
      Object.assign(guild.roles[0] ?? {}, { permissions: one.permissions.toString() });
      return;
    case 'role':
      Object.assign(guild.roles.find(({ id }) => id === [staff, crew][one.at]) ?? {}, {
        permissions: one.permissions.toString(),
      });
      return;
    case 'removeRole':
      removeRole(guild, [staff, crew][one.at] ?? '');
      return;
    case 'hold': {
      const held = one.roles.filter((id) => guild.roles.some((role) => role.id === id));
      Object.assign(guild.members[one.at] ?? {}, { roleIds: held });
    }
  }
};

const removeRole = (guild: TestGuild, roleId: string): void => {
  guild.roles = guild.roles.filter(({ id }) => id !== roleId);
  guild.roles.forEach((role, position) => {
    role.position = position;
  });
  for (const member of guild.members) {
    member.roleIds = member.roleIds.filter((id) => id !== roleId);
  }
};
