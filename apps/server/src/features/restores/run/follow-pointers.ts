import type { Transaction } from '../../../db/connect.ts';
import { movePointers } from '../../servers/pointers/move-pointers.ts';
import { recordCreated } from '../plan/id-map.ts';
import { listSteps } from '../queries/journal.ts';
import { findActiveRestore, type RestoreEnd, type RestoreOwner } from '../queries/restores.ts';

/**
 * In the transaction that ends a restore: our settings that name a role or channel of the target follow
 * what was really made, however it ends. Where it was stopped they stay with what is still there.
 */
export const followPointers = async (
  tx: Transaction,
  owner: RestoreOwner,
  { status }: RestoreEnd,
): Promise<void> => {
  const restore = await findActiveRestore(tx, owner);
  const { guildId, idMap, idsBefore } = restore?.plan ?? {};
  if (!restore || !guildId || !idMap || !idsBefore) return;
  const steps = (await listSteps(tx, owner)).filter((step) => step.status === 'done');
  const created = steps.flatMap(({ createdId }) => createdId ?? []);
  const deleted = steps.flatMap(({ action }) => {
    if (action.do === 'deleteChannel') return action.channelId;
    return action.do === 'deleteRole' ? action.roleId : [];
  });
  const there = new Set([...idsBefore, ...created]).difference(new Set(deleted));
  const { accountId, serverId } = restore;
  await movePointers(
    tx,
    { accountId, serverId, guildId },
    {
      map: steps.reduce(
        (map, { action, createdId }) => recordCreated(map, action, createdId ?? undefined),
        idMap,
      ),
      isThere: (id) => there.has(id),
      leavesOld: status === 'completed' || status === 'partial',
    },
  );
};
