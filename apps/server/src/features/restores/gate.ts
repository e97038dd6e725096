import type { Step } from './step.ts';

type Tried = Pick<Step, 'stage' | 'type' | 'effect' | 'name'>;

/**
 * Why a step must not be run, given those that failed before it. The order of a plan keeps a server
 * closed and full only as long as the earlier steps did what they were for.
 */
export const reasonToHoldBack = (step: Tried, failed: Tried[]): string | undefined => {
  const openLeft = failed.find(({ stage }) => stage === 'tighten');
  if (openLeft && step.stage !== 'tighten') {
    return `Held back, because rights of ${openLeft.name} could not be taken away first`;
  }
  const notMade = failed.find(({ type, effect }) => type === step.type && effect === 'create');
  if (step.effect === 'delete' && step.type !== 'ban' && notMade) {
    return `Held back, because ${notMade.name} could not be made`;
  }
  const isLeft = failed.some(({ type, effect }) => type === 'channel' && effect === 'delete');
  if (step.stage === 'sweep' && step.effect === 'update' && isLeft) {
    return 'Held back, because it would open channels that could not be deleted';
  }
  return undefined;
};
