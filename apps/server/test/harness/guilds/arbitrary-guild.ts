import fc from 'fast-check';
import type { SectionName, Snapshot } from '../../../src/features/backups/snapshot/snapshot.ts';
import type { WholeGuild } from '../../../src/features/restores/plan/step.ts';
import type { Channel, Overwrite, Role } from '../../../src/platform/guild.ts';
import type { BotMember } from '../../../src/platform/permissions.ts';
import { channelDetails, channelName, detailsOf } from './arbitrary-channel.ts';
import { newBan, newChannel, newRole, plainSettings } from './parts.ts';

/** Guilds of any form: every id is unique and every reference is valid. */
export type TestGuild = WholeGuild;

export const BOT: BotMember = { userId: '77', roleIds: ['7700'] };

type GuildSize = { channels: number; roles: number; exactly?: boolean };

const bit = (position: number) => 1n << BigInt(position);
/** Seeing, writing, speaking, and a choice of powers; being an administrator is rare. */
const bits = [0, 1, 2, 4, 5, 10, 10, 10, 11, 11, 13, 17, 20, 28, 40].map(bit);
const permissionSet = fc
  .record({
    bits: fc.subarray(bits),
    isAdministrator: fc.integer({ min: 0, max: 14 }).map((roll) => roll === 0),
  })
  .map(({ bits: some, isAdministrator }) =>
    some.reduce((all, one) => all | one, isAdministrator ? bit(3) : 0n).toString(),
  );

/** Few names, so that duplicates are common. */
const roleName = fc.constantFrom('Staff', 'Member', 'Muted', 'Booster', 'Gäste 🎈');

const roleSpec = fc.record({
  name: roleName,
  permissions: permissionSet,
  isHoisted: fc.boolean(),
  isMentionable: fc.boolean(),
  color: fc.integer({ min: 0, max: 0xffffff }),
  isOfBot: fc.integer({ min: 0, max: 9 }).map((roll) => roll === 0),
});

const overwriteSpec = fc.record({
  target: fc.integer({ min: 0, max: 8 }),
  isOfEveryone: fc.boolean(),
  allow: fc.subarray(bits),
  deny: fc.subarray(bits),
});

const communityKinds = ['announcement', 'stage', 'forum', 'media'] as const;

const channelSpec = fc.record({
  kind: fc.constantFrom<Channel['kind'][]>('text', 'text', 'voice', 'category', ...communityKinds),
  name: channelName,
  parent: fc.option(fc.nat(6), { nil: null }),
  overwrites: fc.array(overwriteSpec, { maxLength: 4 }),
  details: channelDetails,
});

const memberSpec = fc.record({
  nick: fc.option(fc.constantFrom('Ann', 'Bo', 'Çağla ✨'), { nil: null }),
  roles: fc.array(fc.nat(8), { maxLength: 3 }),
});

const emojiSpec = fc.record({
  name: fc.constantFrom('wave', 'smile', 'party'),
  isAnimated: fc.boolean(),
  role: fc.option(fc.nat(8), { nil: null }),
});

/** Lengths up to the maximum: fast-check alone hardly ever tries long ones. */
const lengthUpTo = (maxLength: number, exactly = false) => ({
  maxLength,
  minLength: exactly ? maxLength : 0,
  size: 'max' as const,
});

const stickerSpec = fc.record({
  name: fc.constantFrom('Hello', 'Ahoy', 'さようなら'),
  description: fc.constantFrom(null, 'A friendly one'),
});

const guildSpec = ({ channels, roles, exactly }: GuildSize) =>
  fc.record({
    everyone: permissionSet,
    isCommunity: fc.boolean(),
    isOldGuild: fc.boolean(),
    name: fc.constantFrom('Harbour', 'Meadow'),
    roles: fc.array(roleSpec, lengthUpTo(roles, exactly)),
    channels: fc.array(channelSpec, lengthUpTo(channels, exactly)),
    emojis: fc.array(emojiSpec, { maxLength: 4 }),
    stickers: fc.array(stickerSpec, { maxLength: 2 }),
    bans: fc.uniqueArray(fc.integer({ min: 500, max: 505 }), { maxLength: 3 }),
    members: fc.array(memberSpec, { maxLength: 5 }),
  });

type GuildSpec = ReturnType<typeof guildSpec> extends fc.Arbitrary<infer Spec> ? Spec : never;

/** `guildId` tells several servers of one test apart: all ids begin with its first digits. */
export const arbitraryGuild = (
  size: GuildSize,
  guildId = '900000000000000000',
): fc.Arbitrary<TestGuild> => guildSpec(size).map((spec) => assemble(spec, guildId));

const assemble = (spec: GuildSpec, guildId: string): TestGuild => {
  const idOf = (kind: number, index: number) =>
    (BigInt(guildId) + BigInt(kind) * 1_000_000n + BigInt(index)).toString();
  const roles = assembleRoles(spec, guildId, (index) => idOf(1, index));
  const roleAt = (index: number) => roles[1 + (index % (roles.length - 1))]?.id ?? guildId;
  const emojis = spec.emojis.map(({ name, isAnimated, role }, index) => ({
    id: idOf(3, index),
    name,
    isAnimated,
    isManaged: false,
    roleIds: role === null ? [] : [roleAt(role)],
  }));
  const hasText = spec.channels.some(({ kind }) => kind === 'text');
  const isCommunity = spec.isCommunity && hasText;
  const channels = spec.channels.map((channel, index) =>
    assembleChannel(spec, channel, index, {
      // In servers of the first days the first channel has the id of the server.
      idAt: (at) => (spec.isOldGuild && at === 0 ? guildId : idOf(2, at)),
      roleAt,
      guildId,
      isCommunity,
      emojiIds: emojis.map(({ id }) => id),
    }),
  );
  const members = spec.members.map(({ nick, roles: held }, index) => ({
    userId: (600 + index).toString(),
    nick,
    roleIds: [...new Set(held.map(roleAt))].filter((id) => !BOT.roleIds.includes(id)),
    isBot: false,
  }));
  const texts = channels.filter(({ kind }) => kind === 'text');
  const settings = {
    ...plainSettings(spec.name),
    features: isCommunity ? ['COMMUNITY'] : [],
    verificationLevel: isCommunity ? 1 : 0,
    explicitContentFilter: isCommunity ? 2 : 0,
    rulesChannelId: isCommunity ? (texts[0]?.id ?? null) : null,
    publicUpdatesChannelId: isCommunity ? (texts.at(-1)?.id ?? null) : null,
    systemChannelId: texts.at(-1)?.id ?? null,
    afkChannelId: channels.find(({ kind }) => kind === 'voice')?.id ?? null,
  };
  const stickers = spec.stickers.map((sticker, index) => ({
    ...{ ...sticker, id: idOf(4, index) },
    ...{ tags: 'wave', format: 'png' as const },
  }));
  const own = { userId: BOT.userId, nick: null, roleIds: BOT.roleIds, isBot: true };
  return {
    guildId,
    ownerId: '88',
    settings,
    roles,
    channels,
    emojis,
    stickers,
    bans: spec.bans.map((id) => newBan(id.toString())),
    members: [...members, own],
  };
};

/** Everyone at the bottom, the restoring bot's own role on top. */
const assembleRoles = (
  spec: GuildSpec,
  guildId: string,
  idAt: (index: number) => string,
): Role[] => [
  newRole({ id: guildId, name: '@everyone', permissions: spec.everyone }),
  ...spec.roles.map(({ color, isOfBot, ...look }, index) =>
    newRole({
      ...look,
      id: idAt(index),
      colors: { primary: color, secondary: null, tertiary: null },
      position: index + 1,
      isManaged: isOfBot,
      botId: isOfBot ? (4000 + index).toString() : null,
    }),
  ),
  newRole({
    id: BOT.roleIds[0] ?? '',
    name: 'Holdfast',
    permissions: bit(3).toString(),
    position: spec.roles.length + 1,
    isManaged: true,
    botId: BOT.userId,
  }),
];

type Surroundings = {
  idAt(index: number): string;
  roleAt(index: number): string;
  guildId: string;
  isCommunity: boolean;
  emojiIds: string[];
};

const assembleChannel = (
  spec: GuildSpec,
  { kind: anyKind, name, parent, overwrites, details }: GuildSpec['channels'][number],
  index: number,
  { idAt, roleAt, guildId, isCommunity, emojiIds }: Surroundings,
): Channel => {
  const kind = isCommunity ? anyKind : plainKind(anyKind);
  const categories = spec.channels.flatMap((one, at) => (one.kind === 'category' ? [at] : []));
  // At most 50 in each: children go to the category their number belongs to.
  const room = categories[Math.floor(index / 50)];
  const isChild = parent !== null && kind !== 'category' && room !== undefined;
  return newChannel({
    id: idAt(index),
    kind,
    name,
    parentId: isChild ? idAt(room) : null,
    position: index,
    overwrites: uniqueById(
      overwrites.map(({ target, isOfEveryone, allow, deny }) => ({
        id: isOfEveryone ? guildId : target === 8 ? '601' : roleAt(target),
        kind: !isOfEveryone && target === 8 ? 'member' : 'role',
        allow: sum(allow).toString(),
        deny: (sum(deny) & ~sum(allow)).toString(),
      })),
    ),
    ...detailsOf(idAt(index), kind, details, emojiIds),
  });
};

const sum = (some: bigint[]): bigint => some.reduce((all, one) => all | one, 0n);

const uniqueById = (overwrites: Overwrite[]): Overwrite[] => [
  ...new Map(overwrites.map((overwrite) => [overwrite.id, overwrite])).values(),
];

export const plainKind = (kind: Channel['kind']): Channel['kind'] => {
  if (kind === 'stage') return 'voice';
  return kind === 'voice' || kind === 'category' ? kind : 'text';
};

/** A backup of all there is, but messages. */
export const snapshotOf = (guild: TestGuild): Snapshot => {
  const image = { hash: 'picture', contentType: 'image/png' };
  const moving = { hash: 'moving', contentType: 'image/gif' };
  const pictures = { icon: null, splash: null, discoverySplash: null, banner: null };
  const { guildId, settings, roles, channels, emojis, stickers, bans, members } =
    structuredClone(guild);
  return {
    guildId,
    settings: [{ ...settings, pictures }],
    roles,
    channels,
    emojis: emojis.map((emoji) => ({ ...emoji, image: emoji.isAnimated ? moving : image })),
    stickers: stickers.map((sticker) => ({ ...sticker, image })),
    bans,
    memberRoles: members,
  };
};

export const everyComponent: SectionName[] = [
  'settings',
  'roles',
  'channels',
  'emojis',
  'stickers',
  'bans',
  'memberRoles',
];

export { permissionSet };
