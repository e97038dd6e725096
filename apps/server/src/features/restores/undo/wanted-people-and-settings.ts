import { type Channel, guildMember, guildSettings } from '../../../platform/guild.ts';
import { type SectionEntry, sectionEntries } from '../../backups/snapshot/snapshot.ts';
import { channelSettings } from '../plan/action.ts';
import { pictureSettings } from '../plan/settings.ts';
import { applyFields } from './apply-fields.ts';
import type { UndoInput } from './scope.ts';
import { honestFieldsOf, idsOf } from './wanted-things.ts';

export const wantedBans = ({ scope, backup, current }: UndoInput): SectionEntry<'bans'>[] => {
  const lifted = idsOf(scope.created, 'ban');
  const bans = current.bans ?? [];
  const there = new Set(bans.map(({ userId }) => userId));
  const renewed = [...idsOf(scope.deleted, 'ban')].filter((userId) => !there.has(userId));
  const reasonOf = (userId: string) =>
    backup.bans?.find((ban) => ban.userId === userId)?.reason ?? null;
  return [
    ...bans.filter(({ userId }) => !lifted.has(userId)),
    ...renewed.map((userId) => ({ userId, reason: reasonOf(userId) })),
  ];
};

/** Only people who lost or got something. An attacker is given nothing. */
export const wantedMembers = (input: UndoInput): SectionEntry<'memberRoles'>[] => {
  const { scope, backup, current } = input;
  const lostRoles = idsOf(scope.deleted, 'role');
  const left = new Set(scope.left);
  const saved = new Map((backup.memberRoles ?? []).map((one) => [one.userId, one.roleIds]));
  const changed = new Map(
    scope.changed.filter(({ type }) => type === 'member').map((one) => [one.id, one.fields]),
  );
  return (current.members ?? []).flatMap((member) => {
    const { userId, roleIds } = member;
    const had = left.has(userId) ? [] : (saved.get(userId) ?? []);
    const held = had.filter((id) => lostRoles.has(id) && !roleIds.includes(id));
    const fields = [...(changed.get(userId) ?? []), ...honestFieldsOf(scope, 'member', userId)];
    if (held.length === 0 && fields.length === 0) return [];
    const isExecutor = scope.executors.includes(userId);
    if (isExecutor) {
      const taken = fields.filter(({ before }) => before === false);
      return [applyFields(member, taken, guildMember)];
    }
    const whole = { ...member, roleIds: [...roleIds, ...held] };
    return [applyFields(whole, fields, guildMember)];
  });
};

export const wantedSettings = (input: UndoInput, channels: Channel[]): SectionEntry<'settings'> => {
  const { scope, current } = input;
  const saved = settingsAtAttack(input);
  const { widget, vanityCode } = current.parts ?? {};
  const fields = scope.changed
    .filter(({ type }) => type === 'settings')
    .flatMap((one) => one.fields);
  const noPictures = { icon: null, splash: null, discoverySplash: null, banner: null };
  const live = {
    ...{ ...guildSettings.parse(current.settings), pictures: noPictures, invites: null },
    ...{ vanityCode: vanityCode ?? null, ...(widget && { widget }) },
  };
  const settings = applyFields(live, fields, sectionEntries.settings);
  const there = new Set(channels.map(({ id }) => id));
  for (const setting of channelSettings) {
    const lost = saved?.[setting] ?? null;
    const wasLost = settings[setting] === null && idsOf(scope.deleted, 'channel').has(lost ?? '');
    const isMade = settings[setting] !== null && !there.has(settings[setting]);
    if (wasLost || isMade) settings[setting] = lost !== null && there.has(lost) ? lost : null;
  }
  for (const [name, { hash }] of pictureEntries) {
    if (saved?.[hash] === settings[hash]) settings.pictures[name] = saved.pictures[name];
  }
  return settings;
};

const settingsAtAttack = ({ scope, backup }: UndoInput) => {
  const [saved] = backup.settings ?? [];
  return (
    saved && applyFields(saved, honestFieldsOf(scope, 'settings', null), sectionEntries.settings)
  );
};

const pictureEntries = [
  ['icon', pictureSettings.icon],
  ['splash', pictureSettings.splash],
  ['discoverySplash', pictureSettings.discoverySplash],
  ['banner', pictureSettings.banner],
] as const;
