import type { Metrics } from '../kernel/metrics.ts';

export const measureRun = async (
  metrics: Metrics,
  { name }: { name: string },
  run: () => Promise<void>,
): Promise<void> => {
  const startedAt = performance.now();
  let outcome = 'failed';
  try {
    await run();
    outcome = 'completed';
  } finally {
    metrics.jobSeconds.observe({ job: name, outcome }, (performance.now() - startedAt) / 1000);
  }
};
