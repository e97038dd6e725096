import type { Channel } from '../../../platform/guild.ts';
import { type Onboarding, onboarding, type WelcomeScreen } from '../../../platform/guild-parts.ts';
import { applyFields } from './apply-fields.ts';
import { asInBackup, onboardingId } from './atoms.ts';
import type { UndoInput } from './scope.ts';
import { idsOf } from './wanted-things.ts';

/** What a guild lost that was made again, and the channels that it has then. */
const lostIn = ({ scope }: UndoInput, channels: Channel[]) => ({
  lostChannels: idsOf(scope.deleted, 'channel'),
  lostRoles: idsOf(scope.deleted, 'role'),
  there: new Set(channels.map(({ id }) => id)),
});

export const wantedOnboarding = (input: UndoInput, channels: Channel[]): Onboarding[] => {
  const { scope, backup, current } = input;
  const live = current.parts?.onboarding;
  const [saved] = backup.onboarding ?? [];
  if (!live) return [];
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
  return [applyFields(complete, fields, onboarding)];
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
