import { permissionNames } from '../../../platform/permission-names.ts';
import { splitPermissions } from '../../../platform/permissions.ts';
import type { Note } from './note.ts';
import type { PlanContext } from './plan-context.ts';
import type { Step } from './step.ts';

/** By then the platform had made these permissions of their own. */
const splitBefore = Date.UTC(2026, 2, 1);

export const planNotes = (
  { restores }: PlanContext,
  steps: Step[],
  savedAt: Date | undefined,
): Note[] => {
  const channels = steps.filter(({ action }) => action.do === 'deleteChannel').length;
  const namesPermissions = restores('roles') || restores('channels');
  const isOld = savedAt !== undefined && savedAt.getTime() < splitBefore;
  return [
    ...(channels === 0 ? [] : [{ code: 'deletedWithChannels' as const, channels }]),
    ...(namesPermissions && isOld
      ? [{ code: 'olderThanPermissions' as const, permissions: permissionNames(splitPermissions) }]
      : []),
  ];
};
