import { isDeepStrictEqual } from 'node:util';
import type { BackupComponent } from '@holdfast/contract';
import type { Role } from '../../platform/guild.ts';
import { byRank } from '../../platform/powers.ts';
import type { Snapshot } from '../backups/snapshot.ts';
import { channelDifferences } from './differences-channels.ts';
import { peopleDifferences } from './differences-people.ts';
import { settingsDifferences } from './differences-settings.ts';
import type { IdMap } from './id-map.ts';
import type { PresentGuild } from './step.ts';

/**
 * Where a server is not what the backup says, in words. It looks at the result alone and trusts no
 * step. Managed roles and other bots are not compared: they belong to their integrations.
 */
export const findDifferences = (
  desired: Snapshot,
  actual: PresentGuild,
  idMap: IdMap,
  components: readonly BackupComponent[],
): string[] => {
  const restores = (name: BackupComponent) =>
    components.includes(name) && desired[name] !== undefined;
  return [
    ...(restores('roles') ? roleDifferences(desired, actual, idMap) : []),
    ...(restores('channels') ? channelDifferences(desired, actual, idMap) : []),
    ...(restores('settings')
      ? settingsDifferences(desired, actual, idMap, restores('channels'))
      : []),
    ...peopleDifferences(desired, actual, idMap, restores),
    ...(restores('emojis') ? emojiDifferences(desired, actual, idMap) : []),
    ...(restores('stickers') ? stickerDifferences(desired, actual, idMap) : []),
  ];
};

const roleDifferences = (desired: Snapshot, actual: PresentGuild, map: IdMap): string[] => {
  const wanted = (desired.roles ?? []).filter(({ isManaged }) => !isManaged);
  const found = new Map(actual.roles.map((role) => [role.id, role]));
  const kept = new Set(wanted.map(({ id }) => map.roles[id]));
  const surplus = actual.roles.filter(({ id, isManaged }) => !isManaged && !kept.has(id));
  const pairs = wanted.map((role) => ({ role, now: found.get(map.roles[role.id] ?? '') }));
  return [
    ...pairs.flatMap(({ role, now }) =>
      now ? lookDifferences(role, now, actual.guildId) : [`The role ${role.name} is missing`],
    ),
    ...surplus.map(({ name }) => `The role ${name} is not in the backup`),
    ...orderDifferences(pairs),
  ];
};

const lookDifferences = (wanted: Role, now: Role, guildId: string): string[] => {
  const fields =
    now.id === guildId
      ? []
      : (['name', 'colors', 'isHoisted', 'isMentionable', 'unicodeEmoji'] as const);
  return [
    ...fields
      .filter((field) => !isDeepStrictEqual(wanted[field], now[field]))
      .map((field) => `The role ${wanted.name} differs in ${wordOf[field]}`),
    ...(BigInt(wanted.permissions) === BigInt(now.permissions)
      ? []
      : [`The role ${wanted.name} differs in permissions`]),
  ];
};

const wordOf = {
  name: 'name',
  colors: 'colours',
  isHoisted: 'being listed apart',
  isMentionable: 'being mentionable',
  unicodeEmoji: 'its emoji',
} as const;

const orderDifferences = (pairs: { role: Role; now: Role | undefined }[]): string[] => {
  const there = pairs.filter((pair): pair is { role: Role; now: Role } => pair.now !== undefined);
  const sorted = there.sort((one, other) => byRank(one.role, other.role));
  return sorted.flatMap(({ now, role }, index) => {
    const next = sorted[index + 1];
    return next && byRank(now, next.now) > 0
      ? [`The role ${role.name} stands above ${next.role.name}`]
      : [];
  });
};

const emojiDifferences = (desired: Snapshot, actual: PresentGuild, map: IdMap): string[] => {
  const wanted = (desired.emojis ?? []).filter(({ isManaged }) => !isManaged);
  const kept = new Set(wanted.map(({ id }) => map.emojis[id]));
  const surplus = actual.emojis.filter(({ id, isManaged }) => !isManaged && !kept.has(id));
  return [
    ...wanted.flatMap(({ id, name, roleIds }) => {
      const now = actual.emojis.find((emoji) => emoji.id === map.emojis[id]);
      if (!now) return [`The emoji ${name} is missing`];
      const roles = new Set(roleIds.flatMap((roleId) => map.roles[roleId] ?? []));
      const isSame = now.name === name && isDeepStrictEqual(roles, new Set(now.roleIds));
      return isSame ? [] : [`The emoji ${name} differs`];
    }),
    ...surplus.map(({ name }) => `The emoji ${name} is not in the backup`),
  ];
};

const stickerDifferences = (desired: Snapshot, actual: PresentGuild, map: IdMap): string[] => {
  const wanted = desired.stickers ?? [];
  const kept = new Set(wanted.map(({ id }) => map.stickers[id]));
  return [
    ...wanted.flatMap(({ id, name, description, tags }) => {
      const now = actual.stickers.find((sticker) => sticker.id === map.stickers[id]);
      if (!now) return [`The sticker ${name} is missing`];
      const isSame = now.name === name && now.description === description && now.tags === tags;
      return isSame ? [] : [`The sticker ${name} differs`];
    }),
    ...actual.stickers
      .filter(({ id }) => !kept.has(id))
      .map(({ name }) => `The sticker ${name} is not in the backup`),
  ];
};
