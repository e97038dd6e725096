import type { Overwrite } from '../../../../platform/guild.ts';
import { resolveRef } from '../id-map.ts';
import type { PlanContext } from '../plan-context.ts';
import { type DraftStep, draftStep } from '../step.ts';
import { isVisibleToEveryone } from '../visibility.ts';
import { onboardingName } from './newcomers.ts';

const pauseKey = 'pause the onboarding';

/**
 * The platform refuses to hide a channel that an enabled onboarding shows to everyone. Where the steps
 * do that, the onboarding is switched off before, without its questions being lost.
 */
export const pauseOnboarding = (context: PlanContext, steps: DraftStep[]): DraftStep[] => {
  const live = context.current.parts?.onboarding;
  if (!live?.isEnabled) return steps;
  const hidesDefault = (step: DraftStep) =>
    live.defaultChannelIds.includes(hiddenBy(context, step) ?? '');
  if (!steps.some(hidesDefault)) return steps;
  const pause = draftStep({
    ...{ key: pauseKey, stage: 'tighten', name: onboardingName },
    action: { do: 'pauseOnboarding' },
  });
  return [
    pause,
    ...steps.map((step) =>
      hidesDefault(step) ? { ...step, after: [...step.after, pauseKey] } : step,
    ),
  ];
};

/** The id of the channel that the step hides from everyone. */
const hiddenBy = (context: PlanContext, { action }: DraftStep): string | undefined => {
  if (action.do !== 'setOverwrites' && action.do !== 'editChannel') return undefined;
  const overwrites: Overwrite[] | undefined =
    action.do === 'setOverwrites' ? action.overwrites : action.changes.overwrites;
  const { everyone, snapshot, current, idMap } = context;
  const everyoneId = 'backup' in action.channel ? snapshot.guildId : current.guildId;
  // What @everyone may do while the restore runs: nothing is given before channels are as they should be.
  const permissions = everyone.now & everyone.final;
  const isHidden = overwrites && !isVisibleToEveryone(permissions, overwrites, everyoneId);
  return isHidden ? resolveRef(idMap.channels, action.channel) : undefined;
};

export const isOnboardingPaused = (steps: DraftStep[]): boolean =>
  steps.some(({ action }) => action.do === 'pauseOnboarding');
