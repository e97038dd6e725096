import { Registry } from 'prom-client';
import { openReplica, type Replica } from '../../../src/db/replica/replica.ts';
import { createLog } from '../../../src/kernel/log.ts';
import type { KeyRing } from '../../../src/kernel/seal.ts';
import { startTestService, type TestService } from '../service.ts';

export type ReplicaService = TestService & {
  replica: Replica;
  /** How many reads were made at each place so far, by the reason for it: `replica none`, `primary behind`. */
  reads(): Promise<Record<string, number>>;
  readsDuring(work: () => Promise<unknown>): Promise<Record<string, number>>;
};

type Places = { primaryUrl: string; standbyUrl: string; ring?: KeyRing };

/** A service with a standby for its lists; it knows of other services only through the database. */
export const startReplicaService = async ({
  primaryUrl,
  standbyUrl: url,
  ring,
}: Places): Promise<ReplicaService> => {
  const registry = new Registry();
  const log = createLog({ write: () => undefined });
  let replica: Replica | undefined;
  const service = await startTestService({
    ...{ databaseUrl: primaryUrl, patience: 1, ...(ring && { ring }) },
    openReplica(primary) {
      replica = openReplica({ url, poolSize: 6, primary, log, registry });
      return replica;
    },
  });
  if (!replica) throw new Error('The service opened no replica');
  const reads = async () => {
    const counter = registry.getSingleMetric('holdfast_replica_reads_total');
    const { values = [] } = (await counter?.get()) ?? {};
    return Object.fromEntries(
      values.map(({ labels, value }) => [`${labels.place} ${labels.reason}`, value]),
    );
  };
  return {
    ...{ ...service, replica },
    reads,
    async readsDuring(work) {
      const before = await reads();
      await work();
      const grown = Object.entries(await reads())
        .map(([name, count]) => [name, count - (before[name] ?? 0)] as const)
        .filter(([, count]) => count > 0);
      return Object.fromEntries(grown);
    },
  };
};
