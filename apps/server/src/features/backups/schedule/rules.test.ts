import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { findOutdated, type Retention } from './rules.ts';

const hour = 60 * 60 * 1000;
const start = Date.UTC(2026, 0, 1);

const every = (hours: number, count: number, suspicious = false) =>
  Array.from({ length: count }, (_, index) => ({
    id: `${suspicious ? 'bad' : 'good'}-${index}`,
    createdAt: new Date(start + index * hours * hour),
    suspicious,
  }));

const usual: Retention = { daily: 7, weekly: 4, monthly: 3 };

const kept = (backups: ReturnType<typeof every>, retention: Retention) => {
  const gone = new Set(findOutdated(backups, retention));
  return backups.filter(({ id }) => !gone.has(id));
};

const backup = fc.record({
  id: fc.uuid(),
  createdAt: fc.date({
    min: new Date(start),
    max: new Date(start + 400 * 24 * hour),
    noInvalidDate: true,
  }),
  suspicious: fc.boolean(),
});
const history = fc.uniqueArray(backup, { maxLength: 80, selector: ({ id }) => id });
const retention = fc.record({ daily: fc.nat(10), weekly: fc.nat(6), monthly: fc.nat(4) });

describe('retention', () => {
  test('keeps the newest of each day, week and month, and the newest of all', () => {
    const left = kept(every(24, 120), usual).map(({ createdAt }) =>
      createdAt.toISOString().slice(0, 10),
    );
    expect(left).toEqual([
      '2026-02-28',
      '2026-03-31',
      '2026-04-12',
      '2026-04-19',
      '2026-04-24',
      '2026-04-25',
      '2026-04-26',
      '2026-04-27',
      '2026-04-28',
      '2026-04-29',
      '2026-04-30',
    ]);
  });

  test('of nothing still keeps the newest few', () => {
    expect(kept(every(1, 20), { daily: 0, weekly: 0, monthly: 0 })).toHaveLength(4);
  });

  test('never replaces a good backup by a suspicious one', () => {
    fc.assert(
      fc.property(history, retention, (backups, kept) => {
        const good = backups.filter(({ suspicious }) => !suspicious);
        const goneGood = findOutdated(backups, kept).filter((id) =>
          good.some((one) => one.id === id),
        );
        expect(goneGood.toSorted()).toEqual(findOutdated(good, kept).toSorted());
      }),
    );
  });

  test('keeps what it kept when asked again, and always the newest', () => {
    fc.assert(
      fc.property(history, retention, (backups, policy) => {
        const left = kept(backups, policy);
        expect(findOutdated(left, policy)).toEqual([]);
        const newest = backups.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())[0];
        if (newest) expect(left.map(({ createdAt }) => createdAt)).toContainEqual(newest.createdAt);
      }),
    );
  });
});
