import type { Channel, Role } from '../../../platform/guild.ts';
import { type Onboarding, onboarding, type WelcomeScreen } from '../../../platform/guild-parts.ts';
import { dangerous } from '../../../platform/permissions.ts';
import { offeringOnly } from '../plan/parts/offered-roles.ts';
import { applyFields } from './apply-fields.ts';
import { asInBackup, onboardingId } from './atoms.ts';
import type { UndoInput } from './scope.ts';
import { honestFieldsOf, idsOf } from './wanted-things.ts';

/** What a guild lost that was made again, and the channels that it has then. */
const lostIn = ({ scope }: UndoInput, channels: Channel[]) => ({
  lostChannels: idsOf(scope.deleted, 'channel'),
  lostRoles: idsOf(scope.deleted, 'role'),
  there: new Set(channels.map(({ id }) => id)),
});

type Structure = { roles: Role[]; channels: Channel[] };

export const wantedOnboarding = (input: UndoInput, structure: Structure): Onboarding[] => {
  const wish = onboardingBefore(input, structure.channels);
  return wish ? [withoutPowerful(input, structure, wish)] : [];
};

/** What the options of the repaired onboarding would have given, had it no power now. */
export const powerNotOffered = (input: UndoInput, structure: Structure) => {
  const wish = onboardingBefore(input, structure.channels);
  if (!wish) return [];
  const given = rolesByOption(withoutPowerful(input, structure, wish));
  return [...rolesByOption(wish)].flatMap(([{ id, title }, roleIds]) => {
    const kept = [...given].find(([option]) => option.id === id)?.[1];
    return roleIds.filter((one) => !kept?.includes(one)).map((roleId) => ({ title, roleId }));
  });
};

const rolesByOption = ({ prompts }: Onboarding) =>
  new Map(prompts.flatMap(({ options }) => options.map((one) => [one, one.roleIds] as const)));

const onboardingBefore = (input: UndoInput, channels: Channel[]): Onboarding | undefined => {
  const { scope, current } = input;
  const live = current.parts?.onboarding;
  if (!live) return undefined;
  const saved = onboardingAtAttack(input);
  const { lostChannels, lostRoles } = lostIn(input, channels);
  const complete: Onboarding = {
    ...live,
    defaultChannelIds: withLost(live.defaultChannelIds, saved?.defaultChannelIds, lostChannels),
    prompts: withLostAnswers(live.prompts, saved?.prompts ?? [], { lostChannels, lostRoles }),
  };
  const fields = scope.changed
    .filter(({ id }) => id === onboardingId)
    .flatMap((one) => one.fields)
    .map(({ key, before }) => ({
      ...{ key, before: before === asInBackup ? saved?.prompts : before },
    }));
  return applyFields(complete, fields, onboarding);
};

/** Where the log does not tell which questions there were since, the backup's are asked, but give no roles. */
const onboardingAtAttack = ({ scope, backup }: UndoInput): Onboarding | undefined => {
  const [saved] = backup.onboarding ?? [];
  const fields = honestFieldsOf(scope, 'onboarding', onboardingId);
  const isUntold = fields.some(({ key, before }) => key === 'prompts' && before === null);
  const known = saved && applyFields(saved, fields, onboarding);
  return known && isUntold ? offeringOnly(known, () => false) : known;
};

/** Newcomers give it to themselves: unless the option has the role now, it gets none that has power now. */
const withoutPowerful = (input: UndoInput, structure: Structure, wish: Onboarding): Onboarding => {
  const live = rolesByOption(input.current.parts?.onboarding ?? wish);
  const offered = new Map([...live].map(([{ id }, roleIds]) => [id, roleIds]));
  return offeringOnly(
    wish,
    (roleId, optionId) =>
      offered.get(optionId)?.includes(roleId) ||
      !(hasPower(structure, roleId) || hasPower(input.current, roleId)),
  );
};

/** In the guild, or in one of its channels. */
const hasPower = ({ roles, channels }: Structure, roleId: string): boolean => {
  const ofRole = roles.filter(({ id }) => id === roleId).map(({ permissions }) => permissions);
  const inChannels = channels
    .flatMap(({ overwrites }) => overwrites)
    .filter(({ id, kind }) => kind === 'role' && id === roleId)
    .map(({ allow }) => allow);
  return [...ofRole, ...inChannels].some((bits) => (BigInt(bits) & dangerous) !== 0n);
};

const withLost = (now: string[], was: string[] = [], lost: Set<string>): string[] => [
  ...new Set([...now, ...was.filter((id) => lost.has(id))]),
];

type Prompts = Onboarding['prompts'];

/** An answer leads again to what was deleted; one that led to nothing else went with it. */
const withLostAnswers = (
  now: Prompts,
  saved: Prompts,
  { lostChannels, lostRoles }: { lostChannels: Set<string>; lostRoles: Set<string> },
): Prompts =>
  now.map((prompt) => ({
    ...prompt,
    options: prompt.options.map((option) => {
      const before = saved
        .find(({ id }) => id === prompt.id)
        ?.options.find(({ id }) => id === option.id);
      return {
        ...option,
        channelIds: withLost(option.channelIds, before?.channelIds, lostChannels),
        roleIds: withLost(option.roleIds, before?.roleIds, lostRoles),
      };
    }),
  }));

/** The audit log has no entry for it: only lines for channels that are made again come back. */
export const wantedScreen = (input: UndoInput, channels: Channel[]): WelcomeScreen[] => {
  const live = input.current.parts?.welcomeScreen;
  const [saved] = input.backup.welcomeScreen ?? [];
  if (!live) return [];
  const { lostChannels, there } = lostIn(input, channels);
  const shown = live.channels.filter(({ channelId }) => there.has(channelId));
  const isShown = (channelId: string) => shown.some((line) => line.channelId === channelId);
  const lines = saved?.channels ?? [];
  const lost = lines.filter(({ channelId }) => lostChannels.has(channelId) && !isShown(channelId));
  if (lost.length === 0) return [live];
  const rankOf = ({ channelId }: WelcomeScreen['channels'][number]) => {
    const rank = lines.findIndex((line) => line.channelId === channelId);
    return rank < 0 ? lines.length : rank;
  };
  const all = [...shown, ...lost].sort((one, other) => rankOf(one) - rankOf(other));
  return [{ ...live, channels: all.slice(0, mostLines) }];
};

/** More the platform does not take. */
const mostLines = 5;
