import { AggregatorRegistry } from 'prom-client';
import { type MetricAsJson, metricsShape } from './messages.ts';

/** What only grows. A state, such as memory in use, ends with its process. */
const growing = ['counter', 'histogram'];
/** More of them are merged into one. */
const mostEnded = 8;

type Collectable = { collect(): Promise<{ pid: number; metrics: MetricAsJson[] } | undefined> };

/** Sums, unless a metric says otherwise: see `aggregator` of prom-client. */
const merge = (all: MetricAsJson[][]) => AggregatorRegistry.aggregate(all);

/**
 * The metrics of several processes as one. What an ended process had told stays in the sums: a counter
 * that falls would look like a restart of all, and what the others counted would be added once more by
 * whoever reads it.
 */
export const createMetricsMerger = () => {
  const latest = new Map<number, MetricAsJson[]>();
  const ended: MetricAsJson[][] = [];

  const mergeEnded = async (): Promise<void> => {
    const all = [...ended];
    const merged = metricsShape.parse(await merge(all).getMetricsAsJSON());
    ended.splice(0, all.length, merged);
  };

  return {
    /** Each is noted when it is told: one that ends while the others are waited for is not noted after its end. */
    async collect(processes: Collectable[]): Promise<void> {
      const collecting = processes.map(async (process) => {
        const told = await process.collect();
        // Replaces what was known of it.
        if (told) latest.set(told.pid, told.metrics);
      });
      await Promise.all(collecting);
    },
    noteEnd(pid: number): void {
      const last = latest.get(pid);
      latest.delete(pid);
      if (last) ended.push(last.filter(({ type }) => growing.includes(type)));
    },
    async read(own: MetricAsJson[]): Promise<string> {
      if (ended.length > mostEnded) await mergeEnded();
      return merge([own, ...latest.values(), ...ended]).metrics();
    },
  };
};
