import { z } from 'zod';
import type { Database, Transaction } from '../../../db/connect.ts';
import { type Job, ofAccount } from '../../../queue/job.ts';
import type { Queue } from '../../../queue/queue.ts';
import { recordAudit } from '../../audit/queries.ts';
import { systemActor } from '../../audit/rules.ts';
import { lockServer, readTime, updateServer } from '../../servers/queries.ts';
import { findStoredSettings, storeSettings } from '../queries/settings.ts';
import { applyDue, completeSettings } from '../rules.ts';

export const applyWeakenings = {
  name: 'protection.apply-weakenings',
  payload: z.object({ serverId: z.guid(), accountId: z.guid() }),
  groupOf: ofAccount,
};

type OfServer = z.output<typeof applyWeakenings.payload>;

/** The queue counts from the beginning of the transaction, so a moment is added. */
export const weakenLater = (
  tx: Transaction,
  queue: Pick<Queue, 'enqueue'>,
  server: OfServer,
  afterSeconds: number,
): Promise<void> =>
  queue.enqueue(tx, applyWeakenings, server, { startAfterSeconds: afterSeconds + 1 });

type Dependencies = { db: Database; queue: Pick<Queue, 'enqueue'> };

/** Lets what weakens a server's protection, and has waited long enough, take effect. */
export const applyWeakeningsJob = ({
  applyDueDecisions,
  ...dependencies
}: Dependencies & { applyDueDecisions: typeof applyDueWeakenings }): Job<OfServer> => ({
  ...applyWeakenings,
  async run(server) {
    await applyDueWeakenings(dependencies, server);
    await applyDueDecisions(dependencies, server);
  },
});

export const applyDueWeakenings = ({ db, queue }: Dependencies, server: OfServer): Promise<void> =>
  db.transaction((tx) => applyToServer(tx, queue, server));

const applyToServer = async (
  tx: Transaction,
  queue: Pick<Queue, 'enqueue'>,
  owner: OfServer,
): Promise<void> => {
  const server = await lockServer(tx, owner);
  const stored = await findStoredSettings(tx, owner);
  if (!server || !stored || stored.pending.length === 0) return;
  const now = await readTime(tx);
  const before = { settings: completeSettings(server, stored), pending: stored.pending };
  const { settings, pending, applied } = applyDue(before, now);
  if (pending.length > 0) {
    const next = Math.min(...pending.map(({ at }) => new Date(at).getTime()));
    await weakenLater(tx, queue, owner, Math.ceil((next - now.getTime()) / 1000));
  }
  if (applied.length === 0) return;
  await storeSettings(tx, owner, { ...settings, pending });
  const { antiNukeEnabled, antiRaidEnabled } = settings;
  await updateServer(tx, owner, { antiNukeEnabled, antiRaidEnabled });
  await recordAudit(tx, {
    ...{ accountId: owner.accountId, actor: systemActor, action: 'protection.weaken' },
    subject: { type: 'server', id: owner.serverId },
    changes: Object.fromEntries(applied.map(({ field, from, to }) => [field, { from, to }])),
  });
};
