import { describe, expect, test } from 'bun:test';
import { standingWords } from './standing-words.ts';

const subscription = {
  plan: 'PREMIUM',
  status: 'ACTIVE',
  currentPeriodEnd: '2026-03-01T12:00:00.000Z',
  isTrial: false,
  trialEndsAt: null,
  cancelledAt: null,
} as const;
const nobody = { provider: null, renews: false, lapsesAt: null };

describe('a plan', () => {
  test('that is paid by card renews', () => {
    const card = { provider: 'CARD', renews: true, lapsesAt: null } as const;
    const { tone, words } = standingWords('PREMIUM', subscription, card);
    expect([tone, words]).toEqual(['calm', expect.stringContaining('renews by itself')]);
  });

  test('that is paid ahead, or cancelled, ends', () => {
    const coins = { provider: 'CRYPTO', renews: false, lapsesAt: subscription.currentPeriodEnd };
    const { tone, words } = standingWords('PREMIUM', subscription, {
      ...coins,
      provider: 'CRYPTO',
    });
    expect([tone, words]).toEqual(['warning', expect.stringContaining('does not renew')]);
  });

  test('that was not paid says until when it stays', () => {
    const due = { ...subscription, status: 'PAST_DUE' } as const;
    const grace = { ...nobody, lapsesAt: '2026-03-08T12:00:00.000Z' };
    expect(standingWords('PREMIUM', due, grace).words).toContain('You keep the Premium plan until');
    expect(standingWords('FREE', due, nobody).words).toContain('is over');
  });

  test('that nobody pays for is free, or the operator’s gift', () => {
    const free = { ...subscription, plan: 'FREE' } as const;
    expect(standingWords('FREE', free, nobody).words).toContain('costs nothing');
    expect(standingWords('BUSINESS', free, nobody).words).toContain('operator');
    const over = { ...free, status: 'EXPIRED' } as const;
    expect(standingWords('FREE', over, nobody).words).toContain('has ended');
  });
});
