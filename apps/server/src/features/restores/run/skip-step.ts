import type { Step } from '../plan/step.ts';

export type TriedStep = Pick<Step, 'stage' | 'type' | 'effect' | 'name'> &
  Partial<Pick<Step, 'action'>>;

/**
 * Why a step must be skipped, given the steps that failed before it. The order of a plan keeps a guild
 * closed and never empty only if the earlier steps did their work.
 */
export const reasonToSkip = (step: TriedStep, failed: TriedStep[]): string | undefined => {
  const notTightened = failed.find(({ stage }) => stage === 'tighten');
  if (notTightened && step.stage !== 'tighten') {
    return `Held back, because rights of ${notTightened.name} could not be taken away first`;
  }
  const notEdited = failed.find(
    ({ stage, action }) =>
      stage === 'edit' && action?.do === 'editChannel' && action.changes.overwrites !== undefined,
  );
  if (notEdited && step.stage !== 'tighten' && isGrant(step)) {
    return `Held back, because who may see ${notEdited.name} could not be set`;
  }
  const notCreated = failed.find(({ type, effect }) => type === step.type && effect === 'create');
  if (step.effect === 'delete' && step.type !== 'ban' && notCreated) {
    return `Held back, because ${notCreated.name} could not be made`;
  }
  const isChannelLeft = failed.some(
    ({ type, effect }) => type === 'channel' && effect === 'delete',
  );
  if (step.stage === 'sweep' && step.effect === 'update' && isChannelLeft) {
    return 'Held back, because it would open channels that could not be deleted';
  }
  return undefined;
};

/** Gives a role permissions, or a member roles. */
const isGrant = ({ action }: TriedStep): boolean => {
  if (action?.do === 'editRole') return action.changes.permissions !== undefined;
  return action?.do === 'editMember' && action.roles !== undefined;
};
