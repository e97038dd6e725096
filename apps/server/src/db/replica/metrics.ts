import { Counter, Gauge, type Registry } from 'prom-client';
import type { Replay } from './queries.ts';
import type { Reason } from './standby.ts';

export const createReplicaMetrics = (registry: Registry) => {
  const registers = [registry];
  const reads = new Counter({
    name: 'holdfast_replica_reads_total',
    help: 'Reads that a standby may answer, by where they were made and why not there',
    labelNames: ['place', 'reason'],
    registers,
  });
  // Processes of one service look at the same standby.
  const ofStandby = { registers, aggregator: 'max' as const };
  const lagBytes = new Gauge({
    name: 'holdfast_replica_lag_bytes',
    help: 'What the standby had still to replay when it was last asked',
    ...ofStandby,
  });
  const lagSeconds = new Gauge({
    name: 'holdfast_replica_lag_seconds',
    help: 'Age of the last change that the standby has replayed; 0 where it has all',
    ...ofStandby,
  });
  const usable = new Gauge({
    name: 'holdfast_replica_usable',
    help: '1 while reads are made from the standby',
    registers,
    aggregator: 'min',
  });
  usable.set(0);

  return {
    noteReplica: () => reads.inc({ place: 'replica', reason: 'none' }),
    notePrimary: (reason: Reason) => reads.inc({ place: 'primary', reason }),
    noteReplay(replay: Replay): void {
      lagBytes.set(replay.lagBytes ?? 0);
      lagSeconds.set(replay.lagSeconds ?? 0);
    },
    noteUsable: (isUsable: boolean) => usable.set(isUsable ? 1 : 0),
  };
};
