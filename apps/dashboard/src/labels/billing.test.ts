import { describe, expect, test } from 'bun:test';
import { limitRows, planFeatures, planMessage, planOrder } from './billing.ts';

const limits = {
  ...{ maxServers: 1, maxBots: 3, maxBackups: 50, maxStorageBytes: 10 * 1024 ** 3 },
  ...{ pullCooldownMs: 1_800_000, marketplaceFeePercent: 7.5, apiRatePerTenSeconds: 100 },
  ...{ hasVpnDetection: true, hasAltDetection: true, hasFirewall: false, hasAutoRepair: true },
};
const rowsOf = (changes: object = {}) =>
  limitRows({ ...limits, ...changes }).map(({ label, value }) => `${label}: ${value}`);

test('every limit has a row, and every feature a line', () => {
  expect(rowsOf().slice(0, 4)).toEqual(['Servers: 1', 'Bots: 3', 'Backups: 50', 'Storage: 10 GiB']);
  expect(planFeatures(limits)).toContainEqual({ label: 'Firewall', isIncluded: false });
});

test('how often members can be brought back is shown in minutes or whole hours', () => {
  expect(rowsOf()).toContain('Bring back: every 30 minutes');
  expect(rowsOf({ pullCooldownMs: 0 })).toContain('Bring back: at any time');
  expect(rowsOf({ pullCooldownMs: 7_200_000 })).toContain('Bring back: every 2 hours');
});

test('plans are ordered from the lowest to the highest', () => {
  expect(planOrder).toEqual(['FREE', 'PREMIUM', 'BUSINESS', 'ENTERPRISE']);
});

const subscription = {
  plan: 'PREMIUM',
  status: 'ACTIVE',
  currentPeriodEnd: '2026-03-01T12:00:00.000Z',
  isTrial: false,
  trialEndsAt: null,
  cancelledAt: null,
} as const;
const unpaid = { provider: null, renews: false, lapsesAt: null };

describe('a plan', () => {
  test('that is paid by card renews', () => {
    const card = { provider: 'CARD', renews: true, lapsesAt: null } as const;
    const { tone, message } = planMessage('PREMIUM', subscription, card);
    expect([tone, message]).toEqual(['calm', expect.stringContaining('renews by itself')]);
  });

  test('that is paid ahead, or cancelled, ends', () => {
    const coins = { provider: 'CRYPTO', renews: false, lapsesAt: subscription.currentPeriodEnd };
    const { tone, message } = planMessage('PREMIUM', subscription, {
      ...coins,
      provider: 'CRYPTO',
    });
    expect([tone, message]).toEqual(['warning', expect.stringContaining('does not renew')]);
  });

  test('that was not paid says until when it stays', () => {
    const due = { ...subscription, status: 'PAST_DUE' } as const;
    const grace = { ...unpaid, lapsesAt: '2026-03-08T12:00:00.000Z' };
    expect(planMessage('PREMIUM', due, grace).message).toContain('You keep the Premium plan until');
    expect(planMessage('FREE', due, unpaid).message).toContain('is over');
  });

  test('that nobody pays for is free or given by the operator', () => {
    const free = { ...subscription, plan: 'FREE' } as const;
    expect(planMessage('FREE', free, unpaid).message).toContain('costs nothing');
    const granted = { ...free, plan: 'BUSINESS' } as const;
    const { message } = planMessage('BUSINESS', granted, unpaid);
    expect(message).toContain('Granted by the operator');
    expect(message).toContain('renews by itself on Mar 1, 2026');
    const over = { ...free, status: 'EXPIRED' } as const;
    expect(planMessage('FREE', over, unpaid).message).toContain('has ended');
  });
});
