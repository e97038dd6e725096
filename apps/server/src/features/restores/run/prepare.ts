import type { BackupComponent } from '@holdfast/contract';
import type { Transaction } from '../../../db/connect.ts';
import { newId } from '../../../kernel/ids.ts';
import { executeBackup } from '../../backups/capture/execute-backup.ts';
import { verifyObjects } from '../../backups/objects/read-objects.ts';
import { findBackup, insertBackup, savedAtOf } from '../../backups/queries.ts';
import { modeFor } from '../../backups/snapshot/large.ts';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import { tellRestored } from '../../servers/power/tell-power.ts';
import { planPosts } from '../messages/post-messages.ts';
import type { PlanInput } from '../plan/plan-context.ts';
import { type PlanToRun, planRestoreTask } from '../plan/plan-restore-task.ts';
import type { GuildState, StoredPlan } from '../plan/step.ts';
import { holdersFor, type Withholding, withholdingOf } from '../plan/withholding.ts';
import { storePlan } from '../queries/journal.ts';
import { insertPlaces } from '../queries/posts.ts';
import { updateRestore } from '../queries/restores.ts';
import { safetyComponents } from '../rules.ts';
import { planUndoTask } from '../undo/plan-undo-task.ts';
import { countGone, readUndo } from '../undo/read-undo.ts';
import { undoComponents } from '../undo/wanted-guild.ts';
import { readEarlierIds } from './earlier-ids.ts';
import { readGuild } from './read-guild.ts';
import { readOpenRoles } from './read-open-roles.ts';
import { withPictureHashes } from './read-pictures.ts';
import { recordMatchedIds } from './record-ids.ts';
import {
  RestoreRefused,
  type RestoreRun,
  RestoreStopped,
  requireNotStopped,
} from './restore-run.ts';

/**
 * Everything before the first change: the backup is read through, the guild is backed up as it is, and
 * every step is planned and stored. A worker that takes over here begins anew.
 */
export const prepare = async (run: RestoreRun): Promise<StoredPlan> => {
  const { dependencies, restore, owner, signal } = run;
  const source = { accountId: owner.accountId, backupId: restore.backupId };
  await verifyObjects(dependencies.db, dependencies.blobs, source, signal);
  await createSafetyBackup(run);
  await requireNotStopped(dependencies.db, owner);
  const backup = await findBackup(dependencies.db, source);
  if (!backup) throw new RestoreStopped('gone');
  const withholding = restore.undo
    ? undefined
    : withholdingOf(backup, restore.askedBy?.mayGivePower ?? false);
  const holders = holdersFor(withholding, restore.components);
  const snapshot = await run.readSnapshot(holders);
  await completeUndo(run, snapshot);
  return planAndStore(run, { snapshot, backup, withholding, holders });
};

/** What was stored when the restore was asked for knows of nothing before the attack. */
const completeUndo = async (run: RestoreRun, backup: Snapshot): Promise<void> => {
  const { dependencies, restore, owner, guild, lease } = run;
  const { undo, incidentId, accountId, serverId, backupId } = restore;
  if (!undo || incidentId === null) return;
  const { userId: botUserId } = await run.readBotMember();
  const incident = { accountId, serverId, incidentId, backupId };
  const whole = await dependencies.completeUndoScope(dependencies.db, incident, {
    guild,
    botUserId,
    backup,
    async readCurrent() {
      const [{ roles }, channels] = await Promise.all([guild.read(), guild.readChannels()]);
      return { roles, channels };
    },
  });
  // What followed a category may be all that is left of an attack.
  const components = [...new Set([...restore.components, ...undoComponents(whole)])];
  const changes = { undo: whole, components };
  await lease.transaction(dependencies.db, (tx) => updateRestore(tx, owner, changes));
  run.restore = { ...restore, ...changes };
};

const createSafetyBackup = async (run: RestoreRun): Promise<void> => {
  const { dependencies, owner, signal, lease } = run;
  const backupId = run.restore.safetyBackupId ?? (await insertSafetyBackup(run));
  const backupOwner = { accountId: owner.accountId, backupId };
  await executeBackup(dependencies, backupOwner, { signal, lease });
  const backup = await findBackup(dependencies.db, backupOwner);
  if (backup?.status === 'completed') return;
  throw new RestoreRefused(
    `The server could not be backed up before: ${backup?.error ?? 'it is gone'}`,
  );
};

const insertSafetyBackup = ({ dependencies, restore, owner, lease }: RestoreRun): Promise<string> =>
  lease.transaction(dependencies.db, async (tx) => {
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

type Source = {
  snapshot: Snapshot;
  backup: NonNullable<Awaited<ReturnType<typeof findBackup>>>;
  withholding: Withholding | undefined;
  holders: readonly BackupComponent[];
};

const planAndStore = async (run: RestoreRun, source: Source): Promise<StoredPlan> => {
  const { dependencies, owner, guildId, guild, lease } = run;
  const { components } = run.restore;
  const [current, bot] = await Promise.all([
    readGuild(guildId, guild, [...components, ...source.holders]),
    run.readBotMember(),
  ]);
  const planned = await plan(run, source, { current, bot });
  const { steps, blockers, gains, ...rest } = planned;
  if (blockers.length > 0) throw new RestoreRefused(blockers.join(' '));
  const places = await planPosts(run, steps);
  const storedPlan = { ...rest, idsBefore: idsOf(current), guildId };
  await lease.transaction(dependencies.db, async (tx) => {
    await storePlan(tx, owner, steps, storedPlan);
    await recordMatchedIds(tx, run, storedPlan.idMap);
    await insertPlaces(tx, owner, places);
    await tellGains(tx, run, gains);
  });
  return storedPlan;
};

const tellGains = async (
  tx: Transaction,
  { dependencies, restore }: RestoreRun,
  gains: PlanToRun['gains'] = [],
): Promise<void> => {
  const keyId = restore.askedBy?.keyId;
  if (!keyId) return;
  const roles = gains.map(({ name, power }) => ({ name, power: BigInt(power) }));
  await tellRestored(tx, dependencies, restore, { keyId, roles });
};

const plan = async (
  run: RestoreRun,
  { snapshot, backup, withholding }: Source,
  { current, bot }: Pick<PlanInput, 'current' | 'bot'>,
): Promise<PlanToRun> => {
  const { dependencies, owner, guildId, signal } = run;
  const { db, aside } = dependencies;
  const { accountId } = owner;
  const { components, mode, deleteExtra, undo, askedBy } = run.restore;
  const by = { accountId, mode: modeFor(snapshot, current), waits: 'job' } as const;
  if (undo) {
    const input = { scope: undo, backup: snapshot, current };
    const things = await readUndo(db, accountId, input, await run.readErased());
    const gone = await countGone(db, run.restore, things);
    return aside.run(planUndoTask, things, { bot, components, gone }, by);
  }
  const ids = await readEarlierIds(db, { ...run.restore, guildId }, snapshot, current);
  const compared = { snapshot, current, components, ...ids };
  const guild = await withPictureHashes(dependencies, compared, signal);
  const savedAt = savedAtOf(backup);
  const isTemplate = backup.kind === 'MARKETPLACE';
  const isToOthers = withholding === 'toOthers';
  const openRoles = isToOthers ? await readOpenRoles(db, run.guild, { accountId, guildId }) : [];
  const isGainTold = typeof askedBy?.keyId === 'string' && withholding !== 'all';
  const how = { bot, components, ...ids, mode, deleteExtra, savedAt, isTemplate };
  const about = { withholding, openRoles, isGainTold };
  return aside.run(planRestoreTask, { snapshot, current: guild }, { ...how, ...about }, by);
};

const idsOf = ({ roles, channels, emojis, stickers, parts }: GuildState): string[] => {
  const { automod = [], events = [], soundboard = [], webhooks = [] } = parts ?? {};
  const all = [...roles, ...channels, ...emojis, ...stickers];
  return [...all, ...automod, ...events, ...soundboard, ...webhooks].map(({ id }) => id);
};
