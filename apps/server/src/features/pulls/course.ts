import type { Database } from '../../db/connect.ts';
import { PullMoved, PullStopped, type PullTarget } from './pull-work.ts';
import { type Course, findCourse, type PullOwner } from './queries.ts';

/** Where the pull is to go at this moment; throws where it is to stop. */
export const findTarget = async (db: Database, owner: PullOwner): Promise<PullTarget> =>
  targetOf(await findCourse(db, owner));

const targetOf = (course: Course | undefined): PullTarget => {
  if (!course) throw new PullStopped('gone');
  if (course.isCancelRequested) throw new PullStopped('cancelled');
  const { targetGuildId: guildId, targetBotId: botId } = course;
  if (guildId === null || botId === null) throw new PullStopped('targetGone');
  return { guildId, botId };
};

/** Throws unless the pull is to go on, to where it was going. */
export const demandOnCourse: (
  course: Course | undefined,
  target: PullTarget,
) => asserts course is Course = (course, target) => {
  const { guildId, botId } = targetOf(course);
  if (guildId !== target.guildId || botId !== target.botId) throw new PullMoved();
};
