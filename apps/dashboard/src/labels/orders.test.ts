import { describe, expect, test } from 'bun:test';
import { formatClock, formatTime } from './format.ts';
import { orderAction, orderSteps, payUntilLabel } from './orders.ts';

const fulfillment = { status: 'running', progress: 0, delivered: 0, total: 2 } as const;
const times = {
  createdAt: '2026-01-01T00:00:00.000Z',
  paidAt: '2026-01-02T00:00:00.000Z',
  completedAt: null,
  updatedAt: '2026-01-03T00:00:00.000Z',
  fulfillment,
};
const spelled = (order: Parameters<typeof orderSteps>[0]) =>
  orderSteps(order).map(({ label, state }) => `${label} ${state}`);

describe('the steps of an order', () => {
  test('are done, current and ahead', () => {
    const waiting = ['Placed done', 'Payment current', 'Delivery ahead', 'Completion ahead'];
    expect(spelled({ ...times, status: 'PENDING', paidAt: null })).toEqual(waiting);
    const paid = ['Placed done', 'Paid done', 'Delivery current', 'Completion ahead'];
    expect(spelled({ ...times, status: 'PAID' })).toEqual(paid);
    expect(spelled({ ...times, status: 'FULFILLING' })).toEqual(paid);
  });

  test('wait for the confirmation once everything is delivered', () => {
    const delivered = { ...fulfillment, delivered: 2 };
    const steps = spelled({ ...times, status: 'FULFILLING', fulfillment: delivered });
    expect(steps.slice(2)).toEqual(['Delivered done', 'Completion current']);
  });

  test('are all done in a completed one', () => {
    const completedAt = times.updatedAt;
    const steps = orderSteps({ ...times, status: 'COMPLETED', completedAt });
    expect(new Set(steps.map(({ state }) => state))).toEqual(new Set(['done']));
    expect(steps.map(({ at }) => at)).toEqual([times.createdAt, times.paidAt, null, completedAt]);
  });

  test('end where it stopped', () => {
    expect(spelled({ ...times, status: 'CANCELLED', paidAt: null })).toEqual([
      'Placed done',
      'Cancelled stopped',
    ]);
    expect(spelled({ ...times, status: 'REFUNDED' })).toEqual([
      'Placed done',
      'Paid done',
      'Refunded stopped',
    ]);
  });
});

test('an order that can be paid says until when, with the day where it is not today', () => {
  const now = new Date(2026, 0, 5, 12).getTime();
  const at = (hours: number) => new Date(now + hours * 3_600_000).toISOString();
  const checkoutUrl = 'https://pay.example.com/1';
  const told = (hours: number) => payUntilLabel({ checkoutUrl, expiresAt: at(hours) }, now);
  expect(told(1)).toBe(`Pay until ${formatClock(at(1))}`);
  expect(told(24)).toBe(`Pay until ${formatTime(at(24))}`);
  expect(told(-1)).toBeUndefined();
  expect(payUntilLabel({ checkoutUrl: null, expiresAt: at(1) }, now)).toBeUndefined();
  expect(payUntilLabel({ checkoutUrl, expiresAt: null }, now)).toBeUndefined();
});

test('each party is asked for what is its turn', () => {
  const manual = { deliveryType: 'MANUAL', checkoutUrl: null, fulfillment } as const;
  const delivered = { ...manual, fulfillment: { ...fulfillment, delivered: 2 } };
  const asked = (order: Omit<Parameters<typeof orderAction>[0], 'role'>) =>
    (['BUYER', 'SELLER'] as const).map((role) => orderAction({ ...order, role }));
  const checkoutUrl = 'https://pay.example.com/1';
  expect(asked({ ...manual, checkoutUrl, status: 'PENDING' })).toEqual(['Pay', undefined]);
  expect(asked({ ...manual, status: 'PAID' })).toEqual([undefined, 'Deliver']);
  expect(asked({ ...delivered, status: 'FULFILLING' })).toEqual(['Confirm', undefined]);
  expect(asked({ ...delivered, status: 'COMPLETED' })).toEqual([undefined, undefined]);
  const template = { ...manual, deliveryType: 'AUTOMATIC' } as const;
  expect(asked({ ...template, status: 'PAID' })).toEqual([undefined, undefined]);
});
