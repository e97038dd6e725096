import type { Holdfast } from '@holdfast/sdk';
import type { Plan } from '../output/plan.ts';
import type { NameOf } from '../output/plan-changes.ts';

type Backup = { params: { id: string; backupId: string }; signal?: AbortSignal };

/** The names of the channels and roles in the plan's backup; not asked for where no change has an id. */
export const readPlanNames = async (
  holdfast: Holdfast,
  backup: Backup,
  { update }: Plan,
): Promise<NameOf> => {
  if (!/"\d{17,20}"/.test(JSON.stringify(update))) return () => undefined;
  const { channels, roles } = await holdfast.getBackupContents(backup);
  const all = [...channels.flatMap((branch) => [branch, ...branch.children]), ...roles];
  const names = new Map(all.map(({ platformId, name }) => [platformId, name]));
  return (platformId) => names.get(platformId);
};
