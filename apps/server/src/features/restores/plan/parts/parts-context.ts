import type { IdMap } from '../id-map.ts';
import type { PlanContext, PlanInput } from '../plan-context.ts';
import type { DraftStep } from '../step.ts';
import { createKnownIds, type KnownIds } from './known-ids.ts';

/** What the planners of the parts read. */
export type PlanParts = {
  context: PlanContext;
  known: KnownIds;
  /** Where things of the backup live by now, by earlier restores. */
  earlierIds: IdMap | undefined;
  /** Whether what the backup does not know goes. */
  deletesSurplus: boolean;
  /** Whether an earlier step switches the onboarding off, so that it must be set again. */
  isOnboardingPaused: boolean;
  now: Date;
};

export type PartsPlan = { steps: DraftStep[]; pairs: Map<string, { id: string }> };

export const createPartsContext = (
  context: PlanContext,
  { now = new Date(), earlierIds }: PlanInput,
  isOnboardingPaused: boolean,
): PlanParts => ({
  context,
  known: createKnownIds(context),
  earlierIds,
  deletesSurplus: context.deletesExtra,
  isOnboardingPaused,
  now,
});
