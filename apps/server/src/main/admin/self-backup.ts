import { z } from 'zod';
import { openBlobStore } from '../../integrations/blobs/open-store.ts';
import { systemClock } from '../../kernel/clock.ts';
import { readConfig } from '../config.ts';
import { settleDataDir } from '../local-mode/data-dir.ts';
import { requireRingOpens } from '../sealed-data.ts';
import { backUpService } from '../self-backup/backup.ts';
import { restoreService } from '../self-backup/restore.ts';
import { openStorage, readKeyRing } from '../storage.ts';
import { command, flag, standaloneCommand, wholeNumber } from './command.ts';

export const backup = command(
  'Back up the database and the blobs of the service into a folder. The master keys are not in it: keep them elsewhere.',
  {
    to: z.string().min(1).describe('the folder; each backup gets one of its own in it'),
    keep: wholeNumber
      .pipe(z.int().min(1))
      .optional()
      .describe('deletes older backups in the folder, except for so many'),
  },
  async ({ db, config }, target) => {
    const ring = await readKeyRing(config);
    if (!ring) {
      throw new Error(
        'A backup is authenticated with a master key, and there is none: set MASTER_KEYS (or DATA_DIR) as the service has it.',
      );
    }
    await requireRingOpens(db, ring);
    return backUpService({ db, store: openBlobStore(config), clock: systemClock, ring }, target);
  },
);

/** Alone, because every other command migrates the database first, and this one needs an empty one. */
export const restoreBackup = standaloneCommand(
  'Restore a backup of the service into an empty database and the blob store, and verify it.',
  {
    from: z.string().min(1).describe('the folder of one backup'),
    unauthenticated: flag.describe(
      'also restores a backup that has no manifest.tag: anybody who could write its folder could have altered it',
    ),
  },
  async (env, { from, unauthenticated: mayLackTag }) => {
    const config = settleDataDir(readConfig(env));
    const ring = await readKeyRing(config);
    const storage = await openStorage(config);
    try {
      const dependencies = {
        url: storage.directUrl,
        store: openBlobStore(config),
        ring,
        mayLackTag,
      };
      return JSON.stringify(await restoreService(dependencies, from));
    } finally {
      await storage.close();
    }
  },
);
