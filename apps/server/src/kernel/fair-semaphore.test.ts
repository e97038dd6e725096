import { expect, test } from 'bun:test';
import { createFairSemaphore, WaitedTooLong } from './fair-semaphore.ts';

const patient = { longestWaitMs: 60_000 };

test('a flood of one account delays another by the work under way', async () => {
  const limited = createFairSemaphore({ atOnce: 1, ...patient });
  const order: string[] = [];
  const work = (name: string) => async () => {
    await Bun.sleep(1);
    order.push(name);
  };
  const flood = Array.from({ length: 20 }, () => limited('flood', work('flood')));
  const others = ['one', 'two'].map((name) => limited(name, work(name)));
  await Promise.all([...flood, ...others]);
  expect(order.slice(0, 4)).toEqual(['flood', 'one', 'two', 'flood']);
  expect(order).toHaveLength(22);
});

test('an account that asks for little waits for one work of others, however many have long ones', async () => {
  const limited = createFairSemaphore({ atOnce: 1, ...patient });
  const order: string[] = [];
  const work = (name: string, ms: number) => async () => {
    await Bun.sleep(ms);
    order.push(name);
  };
  const ofMany = Array.from({ length: 16 }, (_, index) =>
    limited(`account ${index % 4}`, work('long', 50)),
  );
  // Until then nobody knows whose are long.
  await Promise.all(ofMany.slice(0, 4));
  for (const _ of [1, 2, 3]) await limited('another', work('short', 1));
  expect(order.slice(4, 10)).toEqual(['long', 'short', 'long', 'short', 'long', 'short']);
  await Promise.all(ofMany);
});

test('an account that had much is not kept out by short works of others until its time is over', async () => {
  const limited = createFairSemaphore({ atOnce: 1, longestWaitMs: 400 });
  await limited('one', () => Bun.sleep(1000));
  let isOver = false;
  const flood = async () => {
    while (!isOver) await limited('flood', () => Bun.sleep(1));
  };
  const floods = [flood(), flood()];
  await Bun.sleep(5);
  // The other has had less than it for as long as it may wait.
  const busy = limited('one', async () => 'done').finally(() => {
    isOver = true;
  });
  expect(await busy).toBe('done');
  await Promise.all(floods);
});

test('an account that asks for little is not kept out by works of others that have waited for long', async () => {
  const limited = createFairSemaphore({ atOnce: 1, longestWaitMs: 400 });
  let isOver = false;
  const flood = async (name: string) => {
    while (!isOver) await limited(name, () => Bun.sleep(50)).catch(() => undefined);
  };
  const floods = Array.from({ length: 32 }, (_, index) => flood(`flood ${index % 4}`));
  await Bun.sleep(600);
  const answers: string[] = [];
  while (answers.length < 5) answers.push(await limited('one', async () => 'done').catch(String));
  isOver = true;
  expect(answers).toEqual(Array(5).fill('done'));
  await Promise.all(floods);
});

test('as many run at once as may, also after some have failed', async () => {
  const limited = createFairSemaphore({ atOnce: 3, ...patient });
  let [running, most] = [0, 0];
  const work = async (index: number) => {
    most = Math.max(most, ++running);
    await Bun.sleep(1);
    running--;
    if (index % 3 === 0) throw new Error('no');
  };
  const works = Array.from({ length: 30 }, (_, index) =>
    limited(`account ${index % 7}`, () => work(index)),
  );
  const failed = (await Promise.allSettled(works)).filter(({ status }) => status === 'rejected');
  expect([most, failed.length]).toEqual([3, 10]);
  expect(await limited('another', async () => 'fine')).toBe('fine');
});

test('who has waited too long gives up the turn, and nobody else loses one', async () => {
  const limited = createFairSemaphore({ atOnce: 1, longestWaitMs: 20 });
  const gate = Promise.withResolvers<void>();
  const first = limited('one', () => gate.promise);
  const late = [limited('one', async () => {}), limited('two', async () => {})];
  const reasons = (await Promise.allSettled(late)).map((outcome) => Object(outcome).reason);
  for (const reason of reasons) expect(reason).toBeInstanceOf(WaitedTooLong);
  const next = limited('three', async () => 'done');
  gate.resolve();
  await first;
  expect(await next).toBe('done');
  expect(await limited('two', async () => 'free again')).toBe('free again');
});
