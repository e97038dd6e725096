import { expect, spyOn, test } from 'bun:test';
import v8 from 'node:v8';
import { createMetrics } from './metrics.ts';

const first = createMetrics();

test('reading the numbers visits no heap, which would hold requests up', async () => {
  const visits = spyOn(v8, 'getHeapSpaceStatistics');
  const text = await first.registry.metrics();
  expect(text).toContain('process_resident_memory_bytes');
  expect(text).toContain('nodejs_eventloop_lag_p99_seconds');
  expect(visits).not.toHaveBeenCalled();
  visits.mockRestore();
});

test('a second registry shows the same numbers of the process', () => {
  const [one, other] = [first, createMetrics()].map(({ registry }) =>
    registry.getSingleMetric('nodejs_eventloop_lag_p99_seconds'),
  );
  expect(one).toBeDefined();
  expect(other).toBe(one);
});
