import type { Bench } from '../lib/environment.ts';
import { clusterProcessorMs, type Listener, processorMs, residentMiB } from '../lib/processes.ts';
import { findPostmaster } from '../lib/queries.ts';
import { median, quantile } from '../lib/statistics.ts';

export const connections = 32;
export const roundMs = 1500;

/** Each connection repeats one of the requests, in turn. */
export type Target = { name: string; listener: Listener; requests: string[] };

export type Round = {
  perSecond: number;
  p50: number;
  p99: number;
  /** Of the server process, and of all processes of PostgreSQL. */
  processorUs: number;
  databaseUs: number;
  memoryMiB: number;
};

export const measureRound = async (
  { load, sql }: Pick<Bench, 'load' | 'sql'>,
  { listener, requests }: Target,
): Promise<Round> => {
  const postmaster = await findPostmaster(sql);
  const order = { origin: listener.url, requests, connections, durationMs: roundMs };
  const used = () => Promise.all([processorMs(listener.pid), clusterProcessorMs(postmaster)]);
  const [processBefore, clusterBefore] = await used();
  const { latenciesMs, elapsedMs } = await load.run(order);
  const [processAfter, clusterAfter] = await used();
  // The first answer of each connection is not among the latencies.
  const answered = latenciesMs.length + connections;
  return {
    perSecond: (latenciesMs.length / elapsedMs) * 1000,
    p50: median(latenciesMs),
    p99: quantile(latenciesMs, 0.99),
    processorUs: ((processAfter - processBefore) / answered) * 1000,
    databaseUs: ((clusterAfter - clusterBefore) / answered) * 1000,
    memoryMiB: await residentMiB(listener.pid),
  };
};
