import { describe, expect, test } from 'bun:test';
import { orderSteps } from './orders.ts';

const times = {
  createdAt: '2026-01-01T00:00:00.000Z',
  paidAt: '2026-01-02T00:00:00.000Z',
  completedAt: null,
  updatedAt: '2026-01-03T00:00:00.000Z',
};
const spelled = (order: Parameters<typeof orderSteps>[0]) =>
  orderSteps(order).map(({ status, state }) => `${status} ${state}`);

describe('the steps of an order', () => {
  test('are done, current and ahead', () => {
    expect(spelled({ ...times, status: 'FULFILLING' })).toEqual([
      'PENDING done',
      'PAID done',
      'FULFILLING current',
      'COMPLETED ahead',
    ]);
    expect(spelled({ ...times, status: 'PENDING', paidAt: null })[0]).toBe('PENDING current');
  });

  test('are all done in a completed one', () => {
    const completedAt = times.updatedAt;
    const steps = orderSteps({ ...times, status: 'COMPLETED', completedAt });
    expect(new Set(steps.map(({ state }) => state))).toEqual(new Set(['done']));
    expect(steps.map(({ at }) => at)).toEqual([times.createdAt, times.paidAt, null, completedAt]);
  });

  test('end where it stopped', () => {
    expect(spelled({ ...times, status: 'CANCELLED', paidAt: null })).toEqual([
      'PENDING done',
      'CANCELLED stopped',
    ]);
    expect(spelled({ ...times, status: 'REFUNDED' })).toEqual([
      'PENDING done',
      'PAID done',
      'REFUNDED stopped',
    ]);
  });
});
