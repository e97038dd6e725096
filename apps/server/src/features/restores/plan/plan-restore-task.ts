import type { AsideTask } from '../../../kernel/aside.ts';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import { describeComparison, describePlan, type RestorePreview } from './describe-plan.ts';
import type { PlanInput } from './plan-context.ts';
import { planRestore } from './plan-restore.ts';
import type { GuildState } from './step.ts';

/** A plan as its owner reads it. */
export const planRestoreTask: AsideTask<
  { snapshot: Snapshot; current: GuildState },
  Omit<PlanInput, 'snapshot' | 'current'> & { isComparison?: boolean | undefined },
  RestorePreview
> = {
  name: 'restores.plan',
  run({ snapshot, current }, { isComparison, ...how }) {
    const plan = planRestore({ ...how, snapshot, current });
    return isComparison ? describeComparison(plan) : describePlan(plan);
  },
};
