import type { Channel } from '../../../platform/guild.ts';
import type { IdMap } from '../plan/id-map.ts';
import type { StoredPlan } from '../plan/step.ts';
import type { StepRow } from '../queries/journal.ts';
import type { Holders } from './read-holders.ts';
import type { RestoreRun } from './restore-run.ts';

/** The steps of one restore, as one worker runs them. */
export type JournalRun = {
  run: RestoreRun;
  plan: StoredPlan;
  steps: StepRow[];
  idMap: IdMap;
  /** Ids that steps are known to have created: no two of them created the same. */
  claimedIds: Set<string>;
  refusals: number;
  /** Kinds of actions whose quota is used up, and for how long. */
  quotas: Map<StepRow['action']['do'], number>;
  /** As they are after now; several who ask at once share an answer. */
  readChannels(): Promise<Channel[]>;
  /** Who has the roles that steps give power to. */
  readHolders(idMap: IdMap): Promise<Holders>;
};

export const hasEnded = ({ status }: StepRow): boolean => status === 'done' || status === 'failed';

/** Bans do not count: they are set rather than created, and can be repeated. */
export const isCreate = ({ action }: StepRow): boolean => 'oldId' in action;
