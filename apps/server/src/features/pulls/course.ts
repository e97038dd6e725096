import type { Queryable } from '../../db/connect.ts';
import { PullMoved, PullStopped, type PullTarget } from './pull-work.ts';
import { findCourse, type PullOwner } from './queries.ts';

/** Where the pull is to go at this moment; throws where it is to stop. */
export const findTarget = async (db: Queryable, owner: PullOwner): Promise<PullTarget> => {
  const course = await findCourse(db, owner);
  if (!course) throw new PullStopped('gone');
  if (course.isCancelRequested) throw new PullStopped('cancelled');
  const { guildId, botId } = course;
  if (guildId === null || botId === null) throw new PullStopped('targetGone');
  return { guildId, botId };
};

/** Throws unless the pull is to go on, to where it was going. */
export const demandOnCourse = async (
  db: Queryable,
  owner: PullOwner,
  target: PullTarget,
): Promise<void> => {
  const { guildId, botId } = await findTarget(db, owner);
  if (guildId !== target.guildId || botId !== target.botId) throw new PullMoved();
};
