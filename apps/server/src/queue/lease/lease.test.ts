import { afterAll, beforeAll, expect, test } from 'bun:test';
import { freshDatabase } from '../../../test/harness/database.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { closeDatabase, connectDatabase, type Database } from '../../db/connect.ts';
import { mayStillAct } from '../../kernel/deadline.ts';
import { newId } from '../../kernel/ids.ts';
import { createLog } from '../../kernel/log.ts';
import { acquireLease, releaseToAnyWorker, renewLease } from '../queries.ts';
import {
  defaultLeaseTimes,
  type HeldLease,
  keepLease,
  LeaseLost,
  type LeaseTimes,
  startStopwatch,
} from './lease.ts';

let db: Database;
beforeAll(async () => {
  db = connectDatabase(await freshDatabase(), { name: 'holdfast-test' });
});
afterAll(() => closeDatabase(db));

const log = createLog({ write: () => undefined });

const take = (subject: string, leaseMs: number) => {
  const entry = { queue: 'test', payload: {}, groupId: null, jobId: newId() };
  const holder = { subject, workerId: newId(), ...entry };
  return db.transaction((tx) => acquireLease(tx, holder, leaseMs));
};

/** `inFactMs` is for a holder who believes to have more time than the database gave. */
const hold = async (subject: string, times: Partial<LeaseTimes>, inFactMs?: number) => {
  const merged = { ...defaultLeaseTimes, ...times };
  const age = startStopwatch();
  const fence = await take(subject, inFactMs ?? merged.leaseMs);
  if (fence === undefined) throw new Error(`${subject} is held`);
  return keepLease({ db, log, times: merged }, { subject, fence, age }, []);
};

const usingLease = async (lease: HeldLease, act: () => Promise<void>): Promise<void> => {
  try {
    await act();
  } finally {
    lease.stopRenewing();
  }
};

test('a holder suspended past the end of its lease notices before it does anything else', async () => {
  const lease = await hold(newId(), { leaseMs: 1500, marginMs: 500, renewMs: 10_000 });
  await usingLease(lease, async () => {
    expect([lease.isHeld(), mayStillAct(lease.signal)]).toEqual([true, true]);
    // No timer and no answer gets through meanwhile, as in a process that is stopped.
    Bun.sleepSync(1100);
    expect(mayStillAct(lease.signal)).toBe(false);
    expect(lease.isHeld()).toBe(false);
    expect(lease.signal.reason).toBeInstanceOf(LeaseLost);
  });
});

test('a renewed lease outlives its first term, and no other worker gets it', async () => {
  const subject = newId();
  const lease = await hold(subject, { leaseMs: 3000, marginMs: 500, renewMs: 200 });
  await usingLease(lease, async () => {
    await Bun.sleep(3500);
    expect(lease.isHeld()).toBe(true);
    expect(await take(subject, 1000)).toBeUndefined();
    await lease.transaction(db, async () => undefined);
  });
});

test('a holder whose lease was taken over is aborted by its signal and cannot get it back', async () => {
  const subject = newId();
  const lease = await hold(subject, { renewMs: 500 }, 1);
  await usingLease(lease, async () => {
    const other = await eventually(2000, async () => {
      const fence = await take(subject, 20_000);
      expect(fence).toBeGreaterThan(lease.fence);
      return Number(fence);
    });
    await eventually(5000, () => expect(lease.signal.aborted).toBe(true));
    expect(lease.isHeld()).toBe(false);
    expect(await renewLease(db, lease, 20_000)).toBe(false);
    expect(await renewLease(db, { subject, fence: other }, 20_000)).toBe(true);
  });
});

test('a transaction under a lease ends before another worker can take it over', async () => {
  const subject = newId();
  const lease = await hold(subject, { leaseMs: 2000, marginMs: 200, renewMs: 60_000 });
  await usingLease(lease, async () => {
    const order: string[] = [];
    const { promise: asked, resolve: tellAsked } = Promise.withResolvers<void>();
    const writing = lease.transaction(db, async (tx) => {
      tellAsked();
      for (let left = 6; left > 0; left--) {
        await Bun.sleep(500);
        await tx.execute('select 1');
      }
      order.push('committing');
    });
    await asked;
    await Bun.sleep(2200);
    const other = await take(subject, 20_000);
    order.push('taken');
    await writing;
    expect(other).toBeGreaterThan(lease.fence);
    expect(order).toEqual(['committing', 'taken']);
    await expect(lease.transaction(db, async () => undefined)).rejects.toThrow(LeaseLost);
  });
});

test('nothing is committed under an expired lease, even if no other worker has taken it', async () => {
  const lease = await hold(newId(), {}, 1);
  await usingLease(lease, async () => {
    await Bun.sleep(50);
    expect(lease.isHeld()).toBe(true);
    await expect(lease.transaction(db, async () => undefined)).rejects.toThrow(LeaseLost);
    expect(lease.isHeld()).toBe(false);
  });
});

test('a holder whose own clock still says held commits nothing once the lease has another fence', async () => {
  const subject = newId();
  const lease = await hold(subject, { leaseMs: 60_000, renewMs: 60_000 });
  await usingLease(lease, async () => {
    await lease.transaction(db, async () => undefined);
    // As a sweep does it: the row is there, not expired, and belongs to whoever comes next.
    await db.transaction((tx) => releaseToAnyWorker(tx, { subject, jobId: newId() }, 60_000));
    expect(lease.isHeld()).toBe(true);
    await expect(lease.transaction(db, async () => undefined)).rejects.toThrow(LeaseLost);
    expect(lease.isHeld()).toBe(false);
  });
});
