import { afterEach, describe, expect, test } from 'bun:test';
import { echoTask, failTask, hangTask } from '../../test/harness/workers/aside-worker.ts';
import { type Aside, createAside } from './aside.ts';

const program = new URL('../../test/harness/workers/aside-worker.ts', import.meta.url);
const started: Aside[] = [];
const start = (patience?: number): Aside => {
  const aside = createAside(program, patience);
  started.push(aside);
  return aside;
};
afterEach(async () => {
  for (const aside of started.splice(0)) await aside.stop();
});

const by = (accountId: string) => ({ accountId, mode: 'worker', waits: 'request' }) as const;
const tooHeavy = { status: 429, headers: { 'Retry-After': '5' } };

describe('work aside', () => {
  test('is given its things and answers, however long their lists', async () => {
    const list = Array.from({ length: 5000 }, (_, at) => ({
      at,
      text: `ü "${'x'.repeat(50)}`,
      no: null,
    }));
    const things = { one: { id: '1', list }, other: { list: [] } };
    const how = { at: new Date(0), names: new Map([['a', 1]]), none: undefined };
    const answer = await start().run(echoTask, things, how, by('a'));
    expect(answer).toEqual({ things, how });
  });

  test('is done on this thread where the caller says so', async () => {
    const things = { one: { id: '1' } };
    const answer = await start().run(echoTask, things, null, { ...by('a'), mode: 'inline' });
    expect(answer.things).toBe(things);
  });

  test('of one account waits for the task of another that is under way', async () => {
    const aside = start();
    const ended: string[] = [];
    const run = (accountId: string) =>
      aside
        .run(echoTask, { one: { id: accountId } }, null, { ...by(accountId), waits: 'job' })
        .then(() => ended.push(accountId));
    await Promise.all([...'aaaa', 'b', ...'aa'].map(run));
    expect(ended.join('')).toBe('abaaaaa');
  });

  test('that takes too long is stopped, and who waits too long is refused, both to come again', async () => {
    const aside = start(0.1);
    const hung = aside.run(hangTask, {}, null, by('a'));
    const waited = aside.run(echoTask, { one: { id: 'b' } }, null, by('b'));
    await expect(waited).rejects.toMatchObject(tooHeavy);
    await expect(hung).rejects.toMatchObject(tooHeavy);
    const patient = { ...by('a'), waits: 'job' } as const;
    const { things } = await aside.run(echoTask, { one: { id: 'a' } }, null, patient);
    expect(things.one.id).toBe('a');
  });

  test('of a job keeps no request waiting', async () => {
    const aside = start(0.1);
    const job = aside.run(hangTask, {}, null, { ...by('a'), waits: 'job' }).catch(() => 'stopped');
    const request = aside.run(echoTask, { one: { id: 'b' } }, null, by('b'));
    expect(await Promise.race([job, request])).toMatchObject({ things: { one: { id: 'b' } } });
  });

  test('that fails is a failure here, and the next one is none', async () => {
    const aside = start();
    await expect(aside.run(failTask, {}, null, by('a'))).rejects.toThrow('no roof');
    const unknown = { ...echoTask, name: 'unknown' };
    await expect(aside.run(unknown, { one: { id: '1' } }, null, by('a'))).rejects.toThrow(
      'unknown',
    );
    const { how } = await aside.run(echoTask, { one: { id: '1' } }, 'again', by('a'));
    expect(how).toBe('again');
  });
});
