import type { Transaction } from '../../db/connect.ts';
import { newId } from '../../kernel/ids.ts';
import { verifyObjects } from '../backups/objects/read-objects.ts';
import { findBackup, insertBackup } from '../backups/queries.ts';
import { takeBackup } from '../backups/take-backup.ts';
import type { Groundwork } from './groundwork.ts';
import { planRestore } from './plan.ts';
import { storePlan, updateRestore } from './queries.ts';
import { readPresent } from './read-present.ts';
import { RestoreRefused, type RestoreWork, requireWanted } from './restore-work.ts';
import { safetyComponents } from './rules.ts';
import type { PresentGuild } from './step.ts';

/**
 * All that comes before the first change: the backup is read through, the server is backed up as it
 * is, and every step is planned and written down. A worker that takes over here begins it anew.
 */
export const prepare = async (work: RestoreWork): Promise<Groundwork> => {
  const { tools, restore, owner, signal } = work;
  const source = { accountId: owner.accountId, backupId: restore.backupId };
  await verifyObjects(tools.db, tools.blobs, source, signal);
  await takeSafetySnapshot(work);
  await requireWanted(tools.db, owner);
  return writePlan(work);
};

const takeSafetySnapshot = async (work: RestoreWork): Promise<void> => {
  const { tools, owner, signal, lease } = work;
  const backupId = work.restore.safetyBackupId ?? (await addSafetySnapshot(work));
  const snapshot = { accountId: owner.accountId, backupId };
  await takeBackup(tools, snapshot, { signal, lease });
  const taken = await findBackup(tools.db, snapshot);
  if (taken?.status === 'completed') return;
  throw new RestoreRefused(
    `The server could not be backed up before: ${taken?.error ?? 'it is gone'}`,
  );
};

const addSafetySnapshot = ({ tools, restore, owner, lease }: RestoreWork): Promise<string> =>
  tools.db.transaction(async (tx: Transaction) => {
    await lease.requireHeld(tx);
    const backup = await insertBackup(tx, {
      id: newId(),
      accountId: owner.accountId,
      serverId: restore.serverId,
      name: `Before restore ${restore.id}`,
      kind: 'PRE_RESTORE',
      components: safetyComponents(restore.components),
      messagesPerChannel: 0,
    });
    await updateRestore(tx, owner, { safetyBackupId: backup.id });
    return backup.id;
  });

const writePlan = async (work: RestoreWork): Promise<Groundwork> => {
  const { tools, restore, owner, guildId, guild, lease } = work;
  const { components } = restore;
  const [desired, present, bot] = await Promise.all([
    work.readDesired(),
    readPresent(guildId, guild, components),
    work.readSelf(),
  ]);
  const plan = planRestore({ desired, present, components, bot });
  if (plan.blockers.length > 0) throw new RestoreRefused(plan.blockers.join(' '));
  const { steps, idMap, losses, warnings } = plan;
  const groundwork = { idMap, idsBefore: idsOf(present), losses, warnings };
  await tools.db.transaction(async (tx) => {
    await lease.requireHeld(tx);
    await storePlan(tx, owner, { steps, groundwork });
  });
  return groundwork;
};

const idsOf = ({ roles, channels, emojis, stickers }: PresentGuild): string[] =>
  [...roles, ...channels, ...emojis, ...stickers].map(({ id }) => id);
