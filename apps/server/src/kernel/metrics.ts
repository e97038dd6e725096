import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';

export type Metrics = ReturnType<typeof createMetrics>;

/** One registry per process; each room that measures something has its instrument here. */
export const createMetrics = () => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
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

  /** Finding a series by its labels costs more than counting in it. */
  const requestSeries = new Map<string, Histogram.Internal<'operation' | 'status'>>();

  return {
    registry,
    jobSeconds,
    observeRequest(operation: string, status: number, seconds: number): void {
      const name = `${operation} ${status}`;
      const series = requestSeries.get(name) ?? requestSeconds.labels(operation, String(status));
      requestSeries.set(name, series);
      series.observe(seconds);
    },
  };
};
