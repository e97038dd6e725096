import { z } from 'zod';
import { BlobBroken } from '../../integrations/blobs/blob-broken.ts';
import type { Job } from '../../queue/job.ts';
import { failureSentence } from '../backups/failure-sentence.ts';
import { verifyObjects } from '../backups/objects/read-objects.ts';
import {
  type BackupOwner,
  findBackup,
  listBackupsToProve,
  savedAtOf,
  storeVerdict,
} from '../backups/queries.ts';
import type { BackupTools } from '../backups/take-backup.ts';
import { drill } from './drill.ts';
import { describeLoss } from './preview.ts';
import { readDesired, type SnapshotSource } from './restore-work.ts';
import { restorable } from './rules.ts';

const proveEveryMs = 7 * 24 * 60 * 60 * 1000;
const backupsAtATime = 200;

/** Reads a backup through and restores it into a server in memory. */
export const proveBackup = {
  name: 'restores.prove',
  payload: z.object({ backupId: z.guid(), accountId: z.guid() }),
};

/** Every backup again, once a week. */
export const proveBackups = { name: 'restores.prove-all', payload: z.object({}) };

type Tools = Pick<BackupTools, 'db' | 'ring' | 'blobs' | 'queue' | 'log'>;

export const proveBackupJob = (tools: Tools): Job<BackupOwner> => ({
  ...proveBackup,
  concurrency: 2,
  async run(owner, signal) {
    const backup = await findBackup(tools.db, owner);
    if (backup?.status !== 'completed' || backup.checksum === null) return;
    const components = restorable(backup.components);
    const { checksum, kind } = backup;
    const savedAt = savedAtOf(backup);
    const source = { accountId: owner.accountId, checksum, kind, savedAt, components };
    const verdict = await hold(tools, owner, source, signal);
    await storeVerdict(tools.db, owner, checksum, { ...verdict, provedAt: new Date() });
  },
});

type Verdict = { restorable: boolean; losses: string[]; verifiedAt?: Date };

const hold = async (
  tools: Tools,
  owner: BackupOwner,
  source: SnapshotSource,
  signal: AbortSignal,
): Promise<Verdict> => {
  try {
    await verifyObjects(tools.db, tools.blobs, owner, signal);
    const verifiedAt = new Date();
    const held = await drill(await readDesired(tools, source));
    const losses = [...held.losses.map(describeLoss), ...held.differences];
    return { restorable: held.restorable, losses, verifiedAt };
  } catch (error) {
    if (!(error instanceof BlobBroken)) throw error;
    tools.log.error({ err: error, ...owner }, 'a backup is broken');
    return { restorable: false, losses: [failureSentence(error)] };
  }
};

export const proveBackupsJob = ({ db, queue }: Tools): Job => ({
  ...proveBackups,
  cron: '29 * * * *',
  async run() {
    const before = new Date(Date.now() - proveEveryMs);
    for (const owner of await listBackupsToProve(db, before, backupsAtATime)) {
      await db.transaction((tx) => queue.enqueue(tx, proveBackup, owner, { group: owner.accountId }));
    }
  },
});
