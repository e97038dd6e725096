import { expect, test } from 'bun:test';
import { renewalOf } from './rules.ts';

const at = new Date('2026-03-01T00:00:00.000Z');
const standing = {
  provider: 'CARD',
  providerRef: 'sub_1',
  plan: 'PREMIUM',
  status: 'ACTIVE',
  changesAt: null,
  cancelledAt: null,
} as const;
const prepaid = {
  ...standing,
  provider: 'CRYPTO',
  providerRef: 'prepaid:1:BUSINESS',
  plan: 'BUSINESS',
  changesAt: at,
} as const;

test('a card subscription renews until it is cancelled', () => {
  expect(renewalOf([standing])).toEqual({ provider: 'CARD', renews: true, lapsesAt: null });
  expect(renewalOf([{ ...standing, cancelledAt: at }])).toMatchObject({ renews: false });
});

test('prepaid months do not renew; of several subscriptions the highest plan counts', () => {
  const ends = { provider: 'CRYPTO', renews: false, lapsesAt: at } as const;
  expect(renewalOf([prepaid])).toEqual(ends);
  expect(renewalOf([standing, prepaid])).toEqual(ends);
});

test('a subscription that is past due lapses when its grace time ends', () => {
  const due = { ...standing, status: 'PAST_DUE', changesAt: at } as const;
  expect(renewalOf([due])).toEqual({ provider: 'CARD', renews: true, lapsesAt: at });
});

test('an ended subscription does not count', () => {
  const none = { provider: null, renews: false, lapsesAt: null };
  expect(renewalOf([])).toEqual(none);
  expect(renewalOf([{ ...standing, status: 'CANCELLED' }])).toEqual(none);
});
