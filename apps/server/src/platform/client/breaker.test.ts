import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { freshDatabase } from '../../../test/harness/database.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { closeDatabase, connectDatabase, type Database } from '../../db/connect.ts';
import { newId } from '../../kernel/ids.ts';
import { refusalsIn } from '../queries.ts';
import { type Breaker, createBreaker } from './breaker.ts';
import type { Charge } from './refusal-share.ts';
import type { RefusalStore } from './shared-refusals.ts';

let db: Database;
beforeAll(async () => {
  db = connectDatabase(await freshDatabase(), { name: 'holdfast-test' });
});
afterAll(() => closeDatabase(db));

/** How many of so many calls at once left, each answered with this status. */
const call = async (
  breaker: Breaker,
  accountId: string | undefined,
  times: number,
  status = 403,
  charge: Omit<Charge, 'accountId'> = {},
): Promise<number> => {
  let left = 0;
  const send = async () => {
    left++;
    await Bun.sleep(1);
    return new Response(null, { status });
  };
  const calls = Array.from({ length: times }, () => breaker.admit({ accountId, ...charge }, send));
  await Promise.allSettled(calls);
  return left;
};

describe('an account that is refused', () => {
  test('never exceeds its share, however many calls are sent at once; no other account is stopped', async () => {
    const breaker = createBreaker({ limit: 100, accountShare: 10 });
    const [noisy, calm] = [newId(), newId()];
    expect(await call(breaker, noisy, 1000)).toBe(10);
    expect(await call(breaker, noisy, 10)).toBe(0);
    expect(await call(breaker, calm, 9, 200)).toBe(9);
    expect(await call(breaker, undefined, 20, 200)).toBe(20);
  });

  test('continues when its refusals are ten minutes old', async () => {
    let now = 0;
    const breaker = createBreaker({ now: () => now, limit: 100, accountShare: 3 });
    const account = newId();
    expect(await call(breaker, account, 5)).toBe(3);
    now += 9 * 60_000;
    expect(await call(breaker, account, 5)).toBe(0);
    now += 2 * 60_000;
    expect(await call(breaker, account, 5, 200)).toBe(3);
  });

  test('has a smaller share once half of what all may collect is used up', async () => {
    const breaker = createBreaker({ limit: 100, accountShare: 10, strainedShare: 2 });
    for (let count = 0; count < 5; count++) await call(breaker, newId(), 10);
    expect(await call(breaker, newId(), 10)).toBe(2);
    expect(await call(breaker, newId(), 1, 200)).toBe(1);
  });

  test('is stopped with all others at the limit of all', async () => {
    const breaker = createBreaker({ limit: 4 });
    expect(await call(breaker, undefined, 10)).toBe(4);
    expect(await call(breaker, newId(), 1, 200)).toBe(0);
  });
});

describe('the reserve of urgent calls', () => {
  const urgent = { isUrgent: true };

  test('lets an account stop an attacker that has used up its share, however it did', async () => {
    const breaker = createBreaker({
      ...{ limit: 100, accountShare: 10 },
      reserve: { limit: 20, accountShare: 5 },
    });
    const account = newId();
    expect(await call(breaker, account, 50)).toBe(10);
    expect(await call(breaker, account, 50, 200)).toBe(0);
    expect(await call(breaker, account, 4, 200, urgent)).toBe(4);
    expect(await call(breaker, account, 50, 403, urgent)).toBe(5);
    expect(await call(breaker, account, 1, 200, urgent)).toBe(0);
  });

  test('is left when all accounts together have nothing left, and is bounded for all together', async () => {
    const breaker = createBreaker({
      ...{ limit: 10, accountShare: 10 },
      reserve: { limit: 6, accountShare: 4, strainedShare: 1 },
    });
    await call(breaker, newId(), 10);
    expect(await call(breaker, newId(), 1, 200)).toBe(0);
    expect(await call(breaker, newId(), 9, 403, urgent)).toBe(4);
    expect(await call(breaker, newId(), 9, 403, urgent)).toBe(1);
    expect(await call(breaker, newId(), 9, 403, urgent)).toBe(1);
    expect(await call(breaker, newId(), 9, 403, urgent)).toBe(0);
  });

  test('is not touched while the usual share lasts', async () => {
    const breaker = createBreaker({
      ...{ limit: 100, accountShare: 10 },
      reserve: { limit: 20, accountShare: 5 },
    });
    const account = newId();
    expect(await call(breaker, account, 10, 403, urgent)).toBe(10);
    expect(await call(breaker, account, 10, 403, urgent)).toBe(5);
  });
});

test('one guild of an account uses up four fifths of its share, and the other guilds go on', async () => {
  const breaker = createBreaker({ limit: 100, accountShare: 10 });
  const account = newId();
  expect(await call(breaker, account, 50, 403, { guildId: '1' })).toBe(8);
  expect(await call(breaker, account, 2, 200, { guildId: '2' })).toBe(2);
  expect(await call(breaker, newId(), 3, 200, { guildId: '1' })).toBe(3);
});

describe('processes over one database', () => {
  const open = () => createBreaker({ limit: 100, accountShare: 10, store: refusalsIn(db) });

  /** A process hears of the others at the first call it makes, and once a second then. */
  test('share one count of an account', async () => {
    const [noisy, calm] = [newId(), newId()];
    const here = open();
    expect(await call(here, noisy, 7)).toBe(7);
    await expectStored(noisy, 7);
    const there = open();
    expect(await call(there, noisy, 20)).toBe(3);
    await expectStored(noisy, 10);
    expect(await call(open(), noisy, 20)).toBe(0);
    expect(await call(open(), calm, 5, 200)).toBe(5);
  });

  test('share the reserve as well', async () => {
    const account = newId();
    const reserve = { limit: 20, accountShare: 4 };
    const refusals = { limit: 100, accountShare: 10, reserve, store: refusalsIn(db) };
    const here = createBreaker(refusals);
    expect(await call(here, account, 10)).toBe(10);
    expect(await call(here, account, 3, 403, { isUrgent: true })).toBe(3);
    await eventually(5000, async () => {
      const rows = await refusalsIn(db).exchange([]);
      const row = rows.find(({ accountId }) => accountId === account);
      expect(row).toEqual({ accountId: account, usual: 10, urgent: 3 });
    });
    const there = createBreaker(refusals);
    await call(there, newId(), 1, 200);
    expect(await call(there, account, 9, 403, { isUrgent: true })).toBe(1);
  });

  test('count for themselves while the database does not answer, and report it once', async () => {
    const failures: unknown[] = [];
    const silent: RefusalStore = { exchange: () => Promise.reject(new Error('gone')) };
    const onStoreFailure = (error: unknown) => failures.push(error);
    const breaker = createBreaker({ limit: 100, accountShare: 4, store: silent, onStoreFailure });
    expect(await call(breaker, newId(), 20)).toBe(4);
    expect(failures).toHaveLength(1);
  });

  const expectStored = async (account: string, total: number) => {
    let stored: number | undefined;
    for (let tries = 0; tries < 500 && stored !== total; tries++) {
      const rows = await refusalsIn(db).exchange([]);
      stored = rows.find(({ accountId }) => accountId === account)?.usual;
      if (stored !== total) await Bun.sleep(10);
    }
    expect(stored).toBe(total);
  };
});
