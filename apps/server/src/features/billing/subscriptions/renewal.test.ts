import { expect, test } from 'bun:test';
import { renewalOf } from './renewal.ts';

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
  expect(renewalOf('PREMIUM', [standing])).toEqual({
    provider: 'CARD',
    renews: true,
    lapsesAt: null,
  });
  expect(renewalOf('PREMIUM', [{ ...standing, cancelledAt: at }])).toMatchObject({ renews: false });
});

test('prepaid months do not renew; of several subscriptions the highest plan counts', () => {
  const ends = { provider: 'CRYPTO', renews: false, lapsesAt: at } as const;
  expect(renewalOf('BUSINESS', [prepaid])).toEqual(ends);
  expect(renewalOf('BUSINESS', [standing, prepaid])).toEqual(ends);
});

test('a subscription that is past due lapses when its grace time ends', () => {
  const due = { ...standing, status: 'PAST_DUE', changesAt: at } as const;
  expect(renewalOf('PREMIUM', [due])).toEqual({ provider: 'CARD', renews: true, lapsesAt: at });
});

test('an ended subscription does not count', () => {
  const none = { provider: null, renews: false, lapsesAt: null };
  expect(renewalOf('FREE', [])).toEqual(none);
  expect(renewalOf('FREE', [{ ...standing, status: 'CANCELLED' }])).toEqual(none);
});

test('a plan that the operator granted is not paid for', () => {
  const none = { provider: null, renews: false, lapsesAt: null };
  expect(renewalOf('ENTERPRISE', [standing, prepaid])).toEqual(none);
});
