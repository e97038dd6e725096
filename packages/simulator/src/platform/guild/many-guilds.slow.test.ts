// Runs alone: it is about time, memory or the machine.
import { expect, test } from 'bun:test';
import { freshId, startTestSimulator } from '../../../test/harness.ts';

test('of ten thousand guilds the last are created and read as fast as the first', async () => {
  const simulator = await startTestSimulator();
  const batchMs: number[] = [];
  for (let index = 0; index < 10_000; index += 500) {
    const startedAt = performance.now();
    await Promise.all(
      Array.from({ length: 500 }, async () => {
        const response = await simulator.call('GET', `/guilds/${freshId()}/preview`);
        expect(response.status).toBe(200);
        await response.arrayBuffer();
      }),
    );
    batchMs.push(performance.now() - startedAt);
  }
  const fastest = (batches: number[]) => Math.min(...batches);
  expect(fastest(batchMs.slice(-5)) / fastest(batchMs.slice(0, 5))).toBeLessThan(5);
  await simulator.stop();
});
