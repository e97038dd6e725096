import type { Database } from '../../../db/connect.ts';
import { findTargetState, type PullOwner, type TargetState } from '../queries/pulls.ts';

/** The guild that members are added to, and its own bot. */
export type PullTarget = { guildId: string; botId: string };

/**
 * The owner cancelled the pull, a server that it needs is being deleted, or the target has moved to
 * another guild or has another bot. A pull that moved begins anew with its new target.
 */
export class PullStopped extends Error {
  constructor(readonly reason: 'cancelled' | 'gone' | 'targetGone' | 'moved') {
    super(`The pull is ${reason}`);
    this.name = 'PullStopped';
  }
}

/** The pull cannot go on, for a reason that its owner reads. */
export class PullRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PullRefused';
  }
}

/** Throws where the pull is to stop. */
export const findTarget = async (db: Database, owner: PullOwner): Promise<PullTarget> =>
  targetOf(await findTargetState(db, owner));

const targetOf = (state: TargetState | undefined): PullTarget => {
  if (!state) throw new PullStopped('gone');
  if (state.isCancelRequested) throw new PullStopped('cancelled');
  const { targetGuildId: guildId, targetBotId: botId } = state;
  if (guildId === null || botId === null) throw new PullStopped('targetGone');
  return { guildId, botId };
};

/** Throws unless the pull is to go on, with the same target. */
export const requireSameTarget: (
  state: TargetState | undefined,
  target: PullTarget,
) => asserts state is TargetState = (state, target) => {
  const { guildId, botId } = targetOf(state);
  if (guildId !== target.guildId || botId !== target.botId) throw new PullStopped('moved');
};
