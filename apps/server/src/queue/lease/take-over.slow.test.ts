// Runs alone: it is about time, memory or the machine.
import { expect, test } from 'bun:test';
import { eventually } from '../../../test/harness/eventually.ts';
import { createLeaseFixture } from '../../../test/harness/workers/lease-workers.ts';

test('the long job of a killed worker continues on another within a minute', async () => {
  const fixture = await createLeaseFixture();
  await fixture.enqueue('one', 200);
  const killed = fixture.startWorker('killed');
  await eventually(10_000, async () =>
    expect((await fixture.steps('one')).length).toBeGreaterThan(3),
  );
  const other = fixture.startWorker('other');
  await eventually(10_000, () => expect(other.said()[0]).toMatchObject({ isReady: true }));
  killed.kill('SIGKILL');
  const killedAt = performance.now();
  await eventually(60_000, async () =>
    expect((await fixture.steps('one')).some((row) => row.worker === 'other')).toBe(true),
  );
  const tookSeconds = (performance.now() - killedAt) / 1000;
  process.stdout.write(`taken over ${tookSeconds.toFixed(1)} s after the kill\n`);
  expect(tookSeconds).toBeLessThan(45);
  const steps = (await fixture.steps('one')).map((row) => row.step);
  expect(steps).toEqual(Array.from({ length: steps.length }, (_, step) => step));
  await fixture.close();
}, 240_000);
