import { expect, test } from 'bun:test';
import { eventually } from '../../test/eventually.ts';
import { createLeaseScene } from '../../test/lease-workers.ts';

test('what a killed worker was at goes on in another one within a minute', async () => {
  const scene = await createLeaseScene();
  await scene.enqueue('one', 200);
  const killed = scene.startWorker('killed');
  await eventually(10_000, async () =>
    expect((await scene.steps('one')).length).toBeGreaterThan(3),
  );
  const other = scene.startWorker('other');
  await eventually(10_000, () => expect(other.said()[0]).toMatchObject({ isReady: true }));
  killed.kill('SIGKILL');
  const killedAt = performance.now();
  await eventually(60_000, async () =>
    expect((await scene.steps('one')).some((row) => row.worker === 'other')).toBe(true),
  );
  const tookSeconds = (performance.now() - killedAt) / 1000;
  process.stdout.write(`taken over ${tookSeconds.toFixed(1)} s after the kill\n`);
  expect(tookSeconds).toBeLessThan(45);
  const steps = (await scene.steps('one')).map((row) => row.step);
  expect(steps).toEqual(Array.from({ length: steps.length }, (_, step) => step));
  await scene.close();
}, 90_000);
