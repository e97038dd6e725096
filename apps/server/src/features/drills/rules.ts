import type { Drill, DrillOutcome } from '@holdfast/contract';
import type { DrillRow } from './queries.ts';
import type { DrillError } from './table.ts';

/**
 * A drill is queued, then running, then completed with an outcome or failed with an error. A worker that
 * dies leaves it running: the next one begins it again, since nothing of a drill is left behind.
 */
export const describeDrill = ({ result, error, ...row }: DrillRow): Drill => ({
  ...row,
  outcome: result?.outcome ?? null,
  detail: result ? outcomeTexts[result.outcome] : error && errorTexts[error],
  figures: result?.figures ?? null,
  membersReachable: result?.membersReachable ?? null,
  membersTotal: result?.membersTotal ?? null,
});

const outcomeTexts: Record<DrillOutcome, string> = {
  STOPPED: 'The attacker was noticed and stopped.',
  NOT_STOPPED: 'The attacker was noticed, but the bot was not able to stop them.',
  NOT_DETECTED:
    'The attacker was not noticed: check that the bot may view the audit log, and lower the thresholds.',
  SWITCHED_OFF: 'Anti-nuke is switched off for this server, so nobody would be stopped.',
  NO_GOOD_BACKUP: 'There is no good backup to copy the server from. Take a backup.',
  NOTHING_TO_DESTROY: 'The last good backup has no channel or role that somebody could delete.',
  ROLE_TOO_HIGH:
    'Every role that can delete channels or roles stands above the bot’s role, so nobody who has one could be stopped. Move the bot’s role up.',
  MISSING_PERMISSION:
    'The bot may not manage roles, so it could not stop anybody. Give its role that permission.',
  EVERYONE:
    'Everyone may delete channels or roles in this server, so no single person could be stopped. Take these permissions from @everyone.',
};

const errorTexts: Record<DrillError, string> = {
  SIMULATOR_UNAVAILABLE: 'The simulator for the copy could not be started on this service.',
  NOT_ENABLED: 'The operator of this service has switched fire drills off.',
  TOOK_TOO_LONG: 'It took too long and was ended.',
  FAILED: 'It failed because of a fault of the service, which is logged.',
};

const hourSeconds = 3600;

/** Seconds until a server may have its next drill; 0 where it may now. */
export const waitAfterDrill = (ageSeconds: number | undefined): number =>
  ageSeconds === undefined ? 0 : Math.max(0, Math.ceil(hourSeconds - ageSeconds));

/** Why the bot cannot stop an attacker, as the outcome of a drill. */
export const outcomeOfLimit = (code: string): DrillOutcome => {
  if (code === 'EVERYONE' || code === 'MISSING_PERMISSION') return code;
  return 'ROLE_TOO_HIGH';
};
