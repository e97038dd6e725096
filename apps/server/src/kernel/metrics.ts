import { collectDefaultMetrics, Histogram, type Metric, Registry } from 'prom-client';
import { askedWaitMs } from './patience.ts';

export type Metrics = ReturnType<typeof createMetrics>;

/** One registry per process, with the instruments that several layers share. */
export const createMetrics = () => {
  const registry = new Registry();
  for (const metric of processMetrics()) registry.registerMetric(metric);
  const requestSeconds = new Histogram({
    name: 'holdfast_http_request_seconds',
    help: 'Time from the first byte of a request to its answer',
    labelNames: ['operation', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  });
  const jobSeconds = new Histogram({
    name: 'holdfast_job_seconds',
    help: 'Time a queued job ran',
    labelNames: ['job', 'outcome'],
    buckets: [0.01, 0.1, 1, 10, 60, 600],
    registers: [registry],
  });

  /** Looking a series up by its labels costs more than observing in it. */
  const requestSeries = new Map<string, Histogram.Internal<'operation' | 'status'>>();

  return {
    registry,
    /**
     * Runs a job and records how long it took and how it ended. A run that was too early, or was interrupted, has
     * not failed: it goes on later.
     */
    async timeJob(
      job: string,
      run: () => Promise<void>,
      isInterrupted = () => false,
    ): Promise<void> {
      const startedAt = performance.now();
      let outcome = 'completed';
      try {
        await run();
      } catch (error) {
        outcome = askedWaitMs(error) === undefined ? 'failed' : 'putOff';
        if (isInterrupted()) outcome = 'interrupted';
        throw error;
      } finally {
        jobSeconds.observe({ job, outcome }, (performance.now() - startedAt) / 1000);
      }
    },
    observeRequest(operation: string, status: number, seconds: number): void {
      const name = `${operation} ${status}`;
      const series = requestSeries.get(name) ?? requestSeconds.labels(operation, String(status));
      requestSeries.set(name, series);
      series.observe(seconds);
    },
  };
};

/** Bun knows one heap space only, and to read its size visits every object: requests would wait meanwhile. */
const heapSpaceMetrics = ['total', 'used', 'available'].map(
  (size) => `nodejs_heap_space_size_${size}_bytes`,
);

let metricsOfThisProcess: Metric[] | undefined;

/** Made once: each set has a timer of its own that nothing ends. */
const processMetrics = (): Metric[] => {
  metricsOfThisProcess ??= collectProcessMetrics();
  return metricsOfThisProcess;
};

const collectProcessMetrics = (): Metric[] => {
  const collected = new Registry();
  collectDefaultMetrics({ register: collected });
  for (const name of heapSpaceMetrics) collected.removeSingleMetric(name);
  return collected.getMetricsAsArray().flatMap(({ name }) => collected.getSingleMetric(name) ?? []);
};
