import type { AsideTask } from '../../../kernel/aside.ts';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import { comingPowerOf, powerHad } from './coming-power.ts';
import { describeComparison, describePlan, type RestorePreview } from './describe-plan.ts';
import { powerGivenBy } from './given-power.ts';
import { type StoredLoss, toStoredLoss } from './loss.ts';
import type { PlanInput } from './plan-context.ts';
import { givableContent, planRestore } from './plan-restore.ts';
import type { GivenPower, GuildState, RestorePlan } from './step.ts';
import { rolesOf, withholdPower } from './withhold-power.ts';

type Things = { snapshot: Snapshot; current: GuildState };
type How = Omit<PlanInput, keyof Things>;

/** A plan as its owner reads it. */
export const previewRestoreTask: AsideTask<
  Things,
  How & { isComparison?: boolean | undefined },
  RestorePreview
> = {
  name: 'restores.preview',
  run({ snapshot, current }, { isComparison, ...how }) {
    const plan = planRestore({ ...how, snapshot, current });
    return isComparison ? describeComparison(plan) : describePlan(plan);
  },
};

/** A plan as it is stored and carried out. */
export type PlanToRun = Pick<RestorePlan, 'steps' | 'blockers' | 'warnings' | 'notes' | 'idMap'> & {
  losses: StoredLoss[];
  coming: Record<string, string>;
  had?: Record<string, string>;
  given?: GivenPower;
  /** The roles by which somebody gets power, where that is told; `power` is a number as text, which JSON can hold. */
  gains?: { name: string; power: string }[];
};

export const toPlanToRun = ({
  steps,
  blockers,
  warnings,
  notes,
  idMap,
  losses,
}: RestorePlan): PlanToRun => ({
  steps,
  blockers,
  warnings,
  notes,
  idMap,
  losses: losses.map(toStoredLoss),
  coming: comingPowerOf(steps),
});

export const planRestoreTask: AsideTask<Things, How & { isGainTold: boolean }, PlanToRun> = {
  name: 'restores.plan',
  run({ snapshot, current }, { isGainTold, ...how }) {
    const input = { ...how, snapshot, current };
    const content = givableContent(input);
    const planned = toPlanToRun(planRestore(input, content));
    const left = content.snapshot;
    const isToOthers = how.withholding === 'toOthers';
    const given = isToOthers ? powerGivenBy({ ...input, snapshot: left }, planned.steps) : {};
    const isOwn = isToOthers && snapshot.guildId === current.guildId;
    const had = isOwn ? powerHad(planned.steps, snapshot) : undefined;
    const plan = { ...planned, given, had };
    if (!isGainTold) return plan;
    const { gains } = withholdPower({ ...input, snapshot: left, withholding: 'all' });
    const roles = rolesOf(gains);
    return { ...plan, gains: roles.map(({ name, power }) => ({ name, power: String(power) })) };
  },
};
