import { isDeepStrictEqual } from 'node:util';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import type { Note } from '../plan/note.ts';
import { offeringOnly } from '../plan/parts/offered-roles.ts';
import type { UndoInput } from './scope.ts';
import { wantedGuild } from './wanted-guild.ts';
import { powerNotOffered } from './wanted-newcomers.ts';
import { closed, wantedChannels, wantedRoles } from './wanted-structure.ts';

/**
 * Where it is not known what was done since the backup, somebody may have lost since what they have in it:
 * then it gives nobody access or power. What takes these away, and roles that give nothing, come back.
 */
export const withhold = (input: UndoInput): UndoInput => {
  if (!input.scope.unknown) return input;
  const given = { ...input, scope: withoutUntold(input) };
  const bare = { ...given, backup: harmlessPart(input.backup, () => false) };
  const [roles, channels] = [wantedRoles(bare), wantedChannels(bare)];
  const everyoneMay = BigInt(
    roles.find(({ id }) => id === input.current.guildId)?.permissions ?? 0,
  );
  const opens = new Set(
    channels.flatMap(({ overwrites }) =>
      overwrites.filter(({ allow }) => BigInt(allow) !== 0n).map(({ id }) => id),
    ),
  );
  const isHarmless = (roleId: string) =>
    !opens.has(roleId) &&
    roles.some(
      ({ id, permissions }) => id === roleId && (BigInt(permissions) & ~everyoneMay) === 0n,
    );
  const backup = harmlessPart(input.backup, isHarmless);
  return { ...given, backup, withheld: withheldBy(input, { ...given, backup }) };
};

/** Of a channel that stays closed, because nobody knows who was let in, nothing is opened. */
const withoutUntold = ({ scope }: UndoInput): UndoInput['scope'] => {
  const untold = new Set(
    scope.deleted
      .filter(({ type, last }) => type === 'channel' && last.overwrites === undefined)
      .map(({ id }) => id),
  );
  const isKnown = (one: { type: string; id: string }, { key }: { key: string }) =>
    one.type !== 'channel' || !untold.has(one.id) || !key.startsWith('overwrites.');
  return {
    ...scope,
    changed: scope.changed.map((one) => ({
      ...one,
      fields: one.fields.filter((field) => isKnown(one, field)),
    })),
    honest: scope.honest?.map((one) => ({
      ...one,
      fields: one.fields.filter((field) => isKnown(one, field)),
    })),
  };
};

const harmlessPart = (backup: Snapshot, isHarmless: (roleId: string) => boolean): Snapshot => ({
  ...backup,
  roles: backup.roles?.map((role) => ({ ...role, permissions: '0' })),
  channels: backup.channels?.map((one) => ({
    ...one,
    overwrites: closed(one.overwrites, backup.guildId),
  })),
  memberRoles: backup.memberRoles?.map((member) => ({
    ...member,
    roleIds: member.roleIds.filter(isHarmless),
  })),
  onboarding: backup.onboarding?.map((one) => offeringOnly(one, isHarmless)),
  automod: backup.automod?.map((rule) => ({ ...rule, exemptRoleIds: [], exemptChannelIds: [] })),
});

/** What a repair would do with the backup as it is, and does not do. */
const withheldBy = (input: UndoInput, less: UndoInput): Note[] => {
  const [whole, part] = [wantedGuild(input), wantedGuild(less)];
  const differing = <Thing>(all: readonly Thing[], some: readonly Thing[]) =>
    all.filter((thing, index) => !isDeepStrictEqual(thing, some[index]));
  const named = (
    what: Extract<Note, { code: 'withheld' }>['what'],
    things: readonly { name: string; count?: number }[],
  ) => things.map(({ name, count }): Note => ({ code: 'withheld', what, name, count }));
  const lostHolders = whole.memberRoles.flatMap(({ userId, roleIds }) => {
    const kept = part.memberRoles.find((one) => one.userId === userId)?.roleIds;
    // Of somebody who would get nothing else, nothing is wanted at all.
    const now = kept ?? input.current.members?.find((one) => one.userId === userId)?.roleIds ?? [];
    return roleIds.filter((id) => !now.includes(id));
  });
  const holders = Map.groupBy(lostHolders, (id) => id);
  const options = whole.onboarding.flatMap(({ prompts }) => prompts.flatMap((one) => one.options));
  const fewer = part.onboarding.flatMap(({ prompts }) => prompts.flatMap((one) => one.options));
  const notes = [
    ...named('permissions', differing(whole.roles, part.roles)),
    ...named('access', differing(whole.channels, part.channels)),
    ...named(
      'holders',
      whole.roles.flatMap(({ id, name }) => {
        const count = holders.get(id)?.length;
        return count === undefined ? [] : [{ name, count }];
      }),
    ),
    ...named(
      'options',
      differing(options, fewer).map(({ title }) => ({ name: title })),
    ),
    ...named('exemptions', differing(whole.automod, part.automod)),
  ];
  const { unknown } = input.scope;
  return unknown && notes.length > 0 ? [{ code: 'historyUnknown', ...unknown }, ...notes] : [];
};

/** Options of the onboarding that do not get a role, because it has power now. */
export const notesOnPower = (input: UndoInput): Note[] => {
  const structure = { roles: wantedRoles(input), channels: wantedChannels(input) };
  return powerNotOffered(input, structure).map(({ title, roleId }) => ({
    code: 'optionWithoutRole',
    option: title,
    role: structure.roles.find(({ id }) => id === roleId)?.name ?? roleId,
  }));
};
