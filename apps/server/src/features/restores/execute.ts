import type { Transaction } from '../../db/connect.ts';
import { isDatabaseFailure } from '../../db/failures.ts';
import { BlobBroken } from '../../integrations/blobs/blob-broken.ts';
import type { BotPlatform } from '../../platform/port.ts';
import { readSelf } from '../../platform/powers.ts';
import type { Lease } from '../../queue/lease.ts';
import { recordAudit } from '../audit/queries.ts';
import { failureSentence } from '../backups/failure-sentence.ts';
import { createObjectReader } from '../backups/objects/read-objects.ts';
import { readErased } from '../backups/people/erasures.ts';
import { redactAccount } from '../backups/people/job-names.ts';
import { findBackup, savedAtOf, updateBackup } from '../backups/queries.ts';
import type { BackupTools } from '../backups/take-backup.ts';
import { useBot } from '../bots/use-bot.ts';
import { findGuildOfServer } from '../servers/queries.ts';
import { judge } from './judge.ts';
import { prepare } from './prepare.ts';
import { beginRestore, endRestore, findActiveRestore, type RestoreOwner } from './queries.ts';
import {
  type ActiveRestore,
  RestoreRefused,
  RestoreStopped,
  type RestoreWork,
  readDesired,
  requireWanted,
} from './restore-work.ts';
import { walkSteps } from './walk-steps.ts';

type Run = { signal: AbortSignal; lease: Lease };
type Ending = Parameters<typeof endRestore>[2];

/** Restores, from the beginning or from where an earlier worker stopped. */
export const executeRestore = async (
  tools: BackupTools,
  owner: RestoreOwner,
  run: Run,
): Promise<void> => {
  await beginRestore(tools.db, owner);
  const restore = await findActiveRestore(tools.db, owner);
  if (!restore) return;
  try {
    await end(tools, owner, run, await carryOut(tools, restore, run));
  } catch (error) {
    run.signal.throwIfAborted();
    if (isDatabaseFailure(error)) throw error;
    await end(tools, owner, run, endingOf(tools, owner, error), async (tx) => {
      if (!(error instanceof BlobBroken)) return;
      const broken = { restorable: false, losses: [failureSentence(error)], provedAt: new Date() };
      await updateBackup(tx, { accountId: owner.accountId, backupId: restore.backupId }, broken);
    });
  }
};

const endingOf = ({ log }: BackupTools, owner: RestoreOwner, error: unknown): Ending => {
  if (error instanceof RestoreStopped) return { status: 'cancelled' };
  log.warn({ err: error, ...owner }, 'a restore failed');
  const sentence = error instanceof RestoreRefused ? error.message : failureSentence(error);
  return { status: 'failed', error: sentence };
};

const carryOut = async (tools: BackupTools, restore: ActiveRestore, run: Run): Promise<Ending> => {
  const { accountId, serverId } = restore;
  const owner = { accountId, restoreId: restore.id };
  await requireWanted(tools.db, owner);
  const server = await findGuildOfServer(tools.db, { accountId, serverId });
  if (!server) throw new RestoreStopped('gone');
  const { guildId, botId } = server;
  return useBot(tools, { botId, accountId }, async (bot) => {
    const work = setUpWork(tools, restore, { bot, guildId, ...run });
    const groundwork = restore.groundwork ?? (await prepare(work));
    return judge(work, groundwork, await walkSteps(work, groundwork));
  });
};

const setUpWork = (
  tools: BackupTools,
  restore: ActiveRestore,
  { bot, guildId, signal, lease }: Run & { bot: BotPlatform; guildId: string },
): RestoreWork => {
  const { db, blobs, ring } = tools;
  const { accountId, components } = restore;
  const read = createObjectReader(db, blobs, accountId);
  const requireBackup = async () => {
    const backup = await findBackup(db, { accountId, backupId: restore.backupId });
    if (!backup?.checksum) throw new RestoreStopped('gone');
    return { ...backup, checksum: backup.checksum };
  };
  return {
    ...{ tools, restore, owner: { accountId, restoreId: restore.id }, signal, lease, guildId },
    guild: bot.guild(guildId, { signal }),
    readSelf: () => readSelf(bot, guildId, { signal }),
    async readErased() {
      return readErased(db, ring, { accountId, savedAt: savedAtOf(await requireBackup()) });
    },
    async readDesired() {
      const { checksum, kind, ...backup } = await requireBackup();
      const savedAt = savedAtOf(backup);
      return readDesired(tools, { accountId, checksum, kind, savedAt, components });
    },
    async loadImage({ hash, contentType }) {
      return { contentType, bytes: new Uint8Array(await read(hash)) };
    },
  };
};

const end = (
  { db, queue }: BackupTools,
  owner: RestoreOwner,
  { lease }: Run,
  ending: Ending,
  alongWith: (tx: Transaction) => Promise<void> = async () => undefined,
) =>
  db.transaction(async (tx) => {
    await lease.requireHeld(tx);
    if (!(await endRestore(tx, owner, ending))) return;
    await alongWith(tx);
    // Who erased themselves meanwhile is taken out of the backup and the journal now.
    await queue.enqueue(tx, redactAccount, { accountId: owner.accountId });
    await recordAudit(tx, {
      accountId: owner.accountId,
      actor: { type: 'SYSTEM', id: null },
      action: 'restore.end',
      subject: { type: 'restore', id: owner.restoreId },
      changes: { status: ending.status, error: ending.error ?? null },
    });
  });
