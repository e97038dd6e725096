import { z } from 'zod';
import type { Database, Transaction } from '../../../db/connect.ts';
import { isDatabaseFailure } from '../../../db/failures.ts';
import type { SealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import type { Log } from '../../../kernel/log.ts';
import type { Job } from '../../../queue/job.ts';
import { noneErased } from '../erasure/redact.ts';
import { createObjectReader } from '../objects/read-objects.ts';
import { readSnapshot } from '../snapshot/read-snapshot.ts';
import { listWithoutStructure, storeStructure } from './queries.ts';
import { structureOf } from './structure.ts';

type Dependencies = {
  db: Database;
  blobs: SealedBlobs;
  log: Log;
  assessHealth(tx: Transaction, server: { accountId: string; serverId: string }): Promise<void>;
};

const backupsAtATime = 200;

/** Reads the structure of last good backups that an earlier version took, and judges their servers. */
export const readStructures = { name: 'backups.read-structures', payload: z.object({}) };

export const readStructuresJob = (dependencies: Dependencies): Job => ({
  ...readStructures,
  cron: '3-59/10 * * * *',
  runsAtStart: true,
  run: (_, signal) => readMissingStructures(dependencies, signal),
});

export const readMissingStructures = async (
  dependencies: Dependencies,
  signal: AbortSignal,
): Promise<void> => {
  for (const backup of await listWithoutStructure(dependencies.db, backupsAtATime)) {
    signal.throwIfAborted();
    await readOne(dependencies, backup).catch((err) => {
      if (isDatabaseFailure(err)) throw err;
      dependencies.log.warn({ err, backupId: backup.backupId }, 'a backup cannot be compared');
    });
  }
};

type Unread = Awaited<ReturnType<typeof listWithoutStructure>>[number];

const readOne = async (
  { db, blobs, assessHealth }: Dependencies,
  { accountId, serverId, backupId, checksum }: Unread,
): Promise<void> => {
  if (checksum === null) return;
  const read = createObjectReader(db, blobs, accountId);
  // Only ids of roles and channels are kept, which are no people.
  const snapshot = await readSnapshot(read, checksum, ['roles', 'channels'], noneErased);
  const { roles = [], channels = [], guildId } = snapshot;
  const managed = roles.filter(({ isManaged }) => isManaged);
  const seen = { roles: idsOf(roles), managedRoles: idsOf(managed), channels: idsOf(channels) };
  await db.transaction(async (tx) => {
    await storeStructure(tx, { accountId, backupId }, structureOf(seen, guildId));
    await assessHealth(tx, { accountId, serverId });
  });
};

const idsOf = (things: { id: string }[]): ReadonlySet<string> =>
  new Set(things.map(({ id }) => id));
