import { requireProgress } from '../../db/require-progress.ts';
import { createLog } from '../../kernel/log.ts';
import { createMetrics } from '../../kernel/metrics.ts';
import { startQueue } from '../../queue/queue.ts';
import { jobDefinitions } from '../jobs.ts';
import { describeKeys } from '../sealed-data.ts';
import { readKeyRing } from '../storage.ts';
import { command } from './command.ts';

/** Every command migrates the tables before it runs; what is left here are those of the queue. */
export const migrate = command(
  'Bring all tables to the shape of this version, those of the queue included.',
  {},
  async ({ url, applied }) => {
    const log = createLog({ write: (line) => process.stderr.write(line) });
    const tools = { url, isWorker: false, log, metrics: createMetrics() };
    // A migration takes as long as its tables are large.
    const queue = await requireProgress(url, (name) =>
      startQueue(jobDefinitions, { ...tools, connection: { timeoutMs: 0, name } }),
    );
    await queue.stop();
    return { migrated: true, applied };
  },
);

export const keyStatus = command(
  'Count what is sealed under each master key, and say which keys may be removed from MASTER_KEYS.',
  {},
  async ({ db, config }) => describeKeys(db, await readKeyRing(config)),
);
