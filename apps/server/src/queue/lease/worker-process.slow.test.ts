// Runs alone: it is about time, memory or the machine.
import { afterEach, expect, test } from 'bun:test';
import { eventually } from '../../../test/harness/eventually.ts';
import { createLeaseFixture } from '../../../test/harness/workers/lease-workers.ts';

const quick = { leaseMs: 4000, renewMs: 1000, marginMs: 1000, retryHeldSeconds: 1 };

let fixture: Awaited<ReturnType<typeof createLeaseFixture>>;
afterEach(() => fixture.close());

const distinct = (values: unknown[]) => [...new Set(values)];

test('a worker restarted with the same id continues its long jobs at once', async () => {
  fixture = await createLeaseFixture();
  // Both of them fill the group's limit, which the killed worker's entries would go on filling.
  await fixture.enqueue('one', 40);
  await fixture.enqueue('two', 40);
  const first = fixture.startWorker('same');
  await eventually(10_000, async () => {
    expect((await fixture.steps('one')).length).toBeGreaterThan(3);
    expect((await fixture.steps('two')).length).toBeGreaterThan(3);
  });
  first.kill('SIGKILL');
  const second = fixture.startWorker('same');
  await eventually(10_000, () => expect(second.said()[0]).toMatchObject({ isReady: true }));
  const readyAt = performance.now();
  const fencesOf = async (id: string) =>
    distinct((await fixture.steps(id)).map((row) => row.fence));
  await eventually(10_000, async () => {
    expect(await fencesOf('one')).toHaveLength(2);
    expect(await fencesOf('two')).toHaveLength(2);
  });
  const tookSeconds = (performance.now() - readyAt) / 1000;
  process.stdout.write(`taken up ${tookSeconds.toFixed(1)} s after the restart\n`);

  await eventually(15_000, async () => expect(await fixture.leases()).toEqual([]));
  for (const id of ['one', 'two']) {
    const steps = (await fixture.steps(id)).map((row) => row.step);
    expect(steps).toEqual(Array.from({ length: 40 }, (_, step) => step));
  }
});

test('a worker suspended for longer than its lease does no harm when it resumes', async () => {
  fixture = await createLeaseFixture(quick);
  await fixture.enqueue('one', 60, { isStubborn: true });
  const zombie = fixture.startWorker('zombie');
  await eventually(10_000, async () =>
    expect((await fixture.steps('one')).length).toBeGreaterThan(3),
  );
  zombie.kill('SIGSTOP');
  const saidBefore = zombie.said().length;
  const other = fixture.startWorker('other');
  await eventually(15_000, async () => {
    expect(
      (await fixture.steps('one')).filter((row) => row.worker === 'other').length,
    ).toBeGreaterThan(3);
  });
  zombie.kill('SIGCONT');
  await eventually(10_000, () => expect(zombie.said().length).toBeGreaterThan(saidBefore + 5));
  await eventually(30_000, async () => expect(await fixture.leases()).toEqual([]));

  // One attempt may have been under way when it was stopped; it can have failed only later.
  const [first, ...later] = zombie.said().slice(saidBefore);
  expect(first).toBeDefined();
  for (const said of later) {
    expect(said).toMatchObject({ mayAct: false, isHeld: false, isAborted: true });
    expect(said.failure).toBe('LeaseLost');
  }
  const steps = await fixture.steps('one');
  expect(steps.map((row) => row.step)).toEqual(Array.from({ length: 60 }, (_, step) => step));
  expect(distinct(steps.map((row) => row.worker))).toEqual(['zombie', 'other']);
  expect(other.said().every((said) => said.isReady || said.failure === null)).toBe(true);
}, 240_000);

test('a worker suspended in an open transaction neither commits it nor blocks others', async () => {
  fixture = await createLeaseFixture(quick);
  await fixture.enqueue('one', 12, { isStubborn: true, openMs: 600 });
  const zombie = fixture.startWorker('zombie');
  await eventually(10_000, () => expect(zombie.said().at(-1)).toMatchObject({ isOpen: true }));
  zombie.kill('SIGSTOP');
  const stoppedAt = performance.now();
  const seen = (await fixture.steps('one')).length;
  fixture.startWorker('other');
  await eventually(20_000, async () =>
    expect((await fixture.steps('one')).some((row) => row.worker === 'other')).toBe(true),
  );
  const tookSeconds = (performance.now() - stoppedAt) / 1000;
  process.stdout.write(`taken over ${tookSeconds.toFixed(1)} s after the stop\n`);
  expect(tookSeconds).toBeLessThan(15);
  zombie.kill('SIGCONT');
  await eventually(30_000, async () => expect(await fixture.leases()).toEqual([]));
  const steps = await fixture.steps('one');
  expect(steps.map((row) => row.step)).toEqual(Array.from({ length: 12 }, (_, step) => step));
  expect(steps.filter((row) => row.worker === 'zombie')).toHaveLength(seen);
}, 240_000);
