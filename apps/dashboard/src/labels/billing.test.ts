import { describe, expect, test } from 'bun:test';
import { limitLines, planMessage, planOrder } from './billing.ts';

const limits = {
  ...{ maxServers: 1, maxBots: 3, maxBackups: 50, maxStorageBytes: 10 * 1024 ** 3 },
  ...{ pullCooldownMs: 1_800_000, marketplaceFeePercent: 7.5, apiRatePerTenSeconds: 100 },
  ...{ hasVpnDetection: true, hasAltDetection: true, hasFirewall: false, hasAutoRepair: true },
};
const labelsOf = (changes: object = {}) =>
  limitLines({ ...limits, ...changes }).map(({ label }) => label);

test('every limit has a label', () => {
  expect(labelsOf().slice(0, 4)).toEqual([
    '1 server',
    '3 bots',
    '50 backups, 10 GiB',
    'A pull every 30 minutes',
  ]);
  expect(limitLines(limits)).toContainEqual({ label: 'Firewall', isIncluded: false });
});

test('the cooldown of pulls is shown in minutes or whole hours', () => {
  expect(labelsOf({ pullCooldownMs: 0 })[3]).toBe('Pulls without a cooldown');
  expect(labelsOf({ pullCooldownMs: 7_200_000 })[3]).toBe('A pull every 2 hours');
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
    expect(message).toContain('Renewed on Mar 1, 2026');
    const over = { ...free, status: 'EXPIRED' } as const;
    expect(planMessage('FREE', over, unpaid).message).toContain('has ended');
  });
});
