import { Counter, Histogram, type Registry } from 'prom-client';
import type { ActKind } from '../watch/kinds.ts';
import type { StopOutcome } from './stop-call.ts';

export type ProtectionMetrics = ReturnType<typeof createProtectionMetrics>;

export const createProtectionMetrics = (registry: Registry) => {
  const registers = [registry];
  const acts = new Counter({
    name: 'holdfast_protection_acts_total',
    help: 'Acts in watched guilds that were stored, by kind',
    labelNames: ['kind'],
    registers,
  });
  const stops = new Counter({
    name: 'holdfast_protection_stops_total',
    help: 'Attempts to stop somebody: stopped, unstoppable (and why), or failed and tried again',
    labelNames: ['outcome', 'code'],
    registers,
  });
  const seconds = new Histogram({
    name: 'holdfast_protection_stop_seconds',
    help: 'Time from the first act that counted to the stop',
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600],
    registers,
  });
  const dropped = new Counter({
    name: 'holdfast_protection_arrivals_dropped_total',
    help: 'Acts that were left to the stored events because too many came at once',
    registers,
  });
  return {
    countAct: (kind: ActKind) => acts.inc({ kind }),
    countStop: ({ status, code }: StopOutcome) =>
      stops.inc({ outcome: status, code: code ?? 'none' }),
    countFailedStop: () => stops.inc({ outcome: 'failed', code: 'none' }),
    observeStop: (ms: number) => seconds.observe(Math.max(0, ms) / 1000),
    countDropped: () => dropped.inc(),
  };
};
