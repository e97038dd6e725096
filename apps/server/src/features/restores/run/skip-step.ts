import { type IdMap, resolveRef } from '../plan/id-map.ts';
import type { Step } from '../plan/step.ts';
import type { StepFailure } from './step-failure.ts';

export type TriedStep = Pick<Step, 'stage' | 'type' | 'effect' | 'name'> &
  Partial<Pick<Step, 'action'>>;

/**
 * Why a step must be skipped, given the steps that failed before it. The order of a plan keeps a guild
 * closed and never empty only if the earlier steps did their work.
 */
export const reasonToSkip = (
  step: TriedStep,
  failed: TriedStep[],
  channelIds: IdMap['channels'] = {},
): StepFailure | undefined => {
  const notTightened = failed.find(({ stage }) => stage === 'tighten');
  if (notTightened && step.stage !== 'tighten') {
    return { code: 'notTightened', name: notTightened.name };
  }
  const notEdited = failed.find(
    ({ stage, action }) =>
      stage === 'edit' && action?.do === 'editChannel' && action.changes.overwrites !== undefined,
  );
  if (notEdited && step.stage !== 'tighten' && isGrant(step)) {
    return { code: 'notEdited', name: notEdited.name };
  }
  const mustBeApart = channelsOf(step, channelIds);
  const notApart = failed.find(({ stage, action }) => {
    const id = stage !== step.stage && hasChannel(action) && resolveRef(channelIds, action.channel);
    return id && mustBeApart.includes(id);
  });
  if (notApart) return { code: 'notEdited', name: notApart.name };
  const notCreated = failed.find(({ type, effect }) => type === step.type && effect === 'create');
  if (step.effect === 'delete' && step.type !== 'ban' && notCreated) {
    return { code: 'notCreated', name: notCreated.name };
  }
  const isChannelLeft = failed.some(
    ({ type, effect }) => type === 'channel' && effect === 'delete',
  );
  if (step.stage === 'sweep' && step.effect === 'update' && isChannelLeft) {
    return { code: 'channelsLeft' };
  }
  return undefined;
};

/** A category, and the channels that must not be as it is when it opens. Empty for other steps. */
const channelsOf = ({ action }: TriedStep, channelIds: IdMap['channels']): string[] => {
  if (!hasChannel(action) || !action.apart) return [];
  return [action.channel, ...action.apart].flatMap((ref) => resolveRef(channelIds, ref) ?? []);
};

const hasChannel = (action: TriedStep['action']) =>
  action?.do === 'editChannel' || action?.do === 'setOverwrites';

/** Gives a role permissions, or a member roles. */
const isGrant = ({ action }: TriedStep): boolean => {
  if (action?.do === 'editRole') return action.changes.permissions !== undefined;
  return action?.do === 'editMember' && action.roles !== undefined;
};
