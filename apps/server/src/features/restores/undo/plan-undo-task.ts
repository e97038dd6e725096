import type { AsideTask } from '../../../kernel/aside.ts';
import { describePlan, type RestorePreview } from '../plan/describe-plan.ts';
import { type PlanToRun, toPlanToRun } from '../plan/plan-restore-task.ts';
import type { UndoThings } from './live-undo.ts';
import { planUndo, type UndoPlanning } from './plan-undo.ts';

export const previewUndoTask: AsideTask<UndoThings, UndoPlanning, RestorePreview> = {
  name: 'restores.previewUndo',
  run: (things, how) => describePlan(planUndo(things, how)),
};

export const planUndoTask: AsideTask<UndoThings, UndoPlanning, PlanToRun> = {
  name: 'restores.planUndo',
  run: (things, how) => toPlanToRun(planUndo(things, how)),
};
