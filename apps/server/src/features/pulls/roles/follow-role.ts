import type { Role } from '../../../platform/guild.ts';
import { recordAudit } from '../../audit/queries.ts';
import { systemActor } from '../../audit/rules.ts';
import { resolveRestoredIds } from '../../servers/restored-ids/resolve.ts';
import { storeRoleToGive } from '../queries/pulls.ts';
import type { PullRun } from '../run/pull-run.ts';

/**
 * The role that a pull gives besides may be gone, and made anew by a restore since the pull was asked
 * for: then it gives the new one.
 */
export const followRole = async (run: PullRun, roles: readonly Role[]): Promise<void> => {
  const { dependencies, owner, lease, pull } = run;
  const { db } = dependencies;
  const { roleId } = pull;
  const liveIds = new Set(roles.map(({ id }) => id));
  if (roleId === null || liveIds.has(roleId)) return;
  const { accountId, pullId } = owner;
  const resolved = await resolveRestoredIds(db, accountId, 'roles', { ids: [roleId], liveIds });
  const newId = resolved[roleId];
  if (newId === undefined) return;
  await lease.transaction(db, async (tx) => {
    await storeRoleToGive(tx, owner, newId);
    await recordAudit(tx, {
      accountId,
      actor: systemActor,
      action: 'pull.update',
      subject: { type: 'pull', id: pullId },
      changes: { roleId: { from: roleId, to: newId } },
    });
  });
  pull.roleId = newId;
};
