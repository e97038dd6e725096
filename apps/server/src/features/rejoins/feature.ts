import { jobEntry } from '../../queue/job.ts';
import {
  callRoll,
  callRollJob,
  giveBack,
  giveBackJob,
  resumeReturns,
  resumeReturnsJob,
} from './jobs.ts';
import { followMembers } from './returns/follow-members.ts';

/**
 * Rejoins: members who come back by themselves get the roles and the nickname they had.
 *
 * - `rules.ts`: what a batch of reports says about each person, what their presence means, and which of two
 *   sources is newer.
 * - `returns/`: `follow-members` stores who leaves, who comes and what they have, as the gateway reports it;
 *   `give-back` gives everyone who waits what they had (`read-held`), by the rules of pulls: never a
 *   dangerous role, nothing is taken away.
 * - `roll-call/` lists a guild's members after every new session, and makes up for what was not heard.
 * - `jobs.ts`: these two jobs, and one that takes up what was left.
 */
export const rejoins = {
  followMembers,
  jobs: [
    jobEntry(giveBack, giveBackJob),
    jobEntry(callRoll, callRollJob),
    jobEntry(resumeReturns, resumeReturnsJob),
  ],
};
