import { jobEntry } from '../../queue/job.ts';
import { giveBack, giveBackJob, resumeReturns, resumeReturnsJob } from './jobs.ts';
import { followMembers } from './listen/follow-members.ts';

/**
 * Rejoins: members who come back by themselves get the roles and the nickname they had.
 *
 * - `listen/`: the gateway reports who leaves, who comes and what they have; it is only stored.
 * - `rules.ts`: what a batch of reports says about each person, and which of two sources is newer.
 * - `give/`: a job of the server gives everyone who waits what they had, by the rules of pulls: never a
 *   dangerous role, nothing is taken away.
 * - `jobs.ts`: that job, and one that takes up what was left.
 */
export const rejoins = {
  followMembers,
  jobs: [jobEntry(giveBack, giveBackJob), jobEntry(resumeReturns, resumeReturnsJob)],
};
