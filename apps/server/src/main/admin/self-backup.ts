import { z } from 'zod';
import { openBlobStore } from '../../integrations/blobs/open-store.ts';
import { systemClock } from '../../kernel/clock.ts';
import { readConfig } from '../config.ts';
import { settleDataDir } from '../local-mode/data-dir.ts';
import { backUpService } from '../self-backup/backup.ts';
import { restoreService } from '../self-backup/restore.ts';
import { openStorage, readKeyRing } from '../storage.ts';
import { command, standaloneCommand, wholeNumber } from './command.ts';

export const backup = command(
  'Back up the database and the blobs of the service into a folder. The master keys are not in it: keep them elsewhere.',
  {
    to: z.string().min(1).describe('the folder; each backup gets one of its own in it'),
    keep: wholeNumber
      .pipe(z.int().min(1))
      .optional()
      .describe('deletes older backups in the folder, except for so many'),
  },
  ({ db, config }, target) =>
    backUpService({ db, store: openBlobStore(config), clock: systemClock }, target),
);

/** Alone, because every other command migrates the database first, and this one needs an empty one. */
export const restoreBackup = standaloneCommand(
  'Restore a backup of the service into an empty database and the blob store, and verify it.',
  { from: z.string().min(1).describe('the folder of one backup') },
  async (env, { from }) => {
    const config = settleDataDir(readConfig(env));
    const ring = await readKeyRing(config);
    const storage = await openStorage(config);
    try {
      const dependencies = { url: storage.directUrl, store: openBlobStore(config), ring };
      return JSON.stringify(await restoreService(dependencies, from));
    } finally {
      await storage.close();
    }
  },
);
