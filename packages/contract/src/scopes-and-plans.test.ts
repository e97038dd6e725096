import { describe, expect, test } from 'bun:test';
import { defaultPlans, keyScope, overridePlans, scopes, scopeTiers } from './index.ts';

describe('scopes', () => {
  test('there are 23 to read, 23 to write and 7 to destroy, 53 in all, none twice', () => {
    expect(scopeTiers.read).toHaveLength(23);
    expect(scopeTiers.write).toHaveLength(23);
    expect(scopeTiers.destructive).toHaveLength(7);
    expect(new Set(scopes).size).toBe(53);
  });

  const isAccepted = (scope: string): boolean => keyScope.safeParse(scope).success;

  test('a key can have each of them and *, and nothing else', () => {
    expect([...scopes, '*'].filter((scope) => !isAccepted(scope))).toEqual([]);
    const others = ['servers:*', 'Servers:read', ' servers:read', 'servers:read ', '', '**', 'all'];
    expect(others.filter(isAccepted)).toEqual([]);
  });
});

describe('plans', () => {
  const GiB = 1_073_741_824;
  test.each([
    ['priceCents', 0, 500, 1500, 5000],
    ['maxServers', 1, 5, 25, 100],
    ['maxBots', 1, 3, 10, 50],
    ['maxBackups', 15, 50, 250, 1000],
    ['maxStorageBytes', GiB, 10 * GiB, 50 * GiB, 250 * GiB],
    ['pullCooldownMs', 64_800_000, 7_200_000, 1_800_000, 0],
    ['marketplaceFeePercent', 15, 10, 7.5, 5],
    ['apiRatePerTenSeconds', 20, 50, 100, 200],
    ['hasVpnDetection', true, true, true, true],
    ['hasAltDetection', false, true, true, true],
    ['hasFirewall', false, true, true, true],
    ['hasAutoRepair', false, true, true, true],
  ] as const)('%s is %p, %p, %p and %p', (cell, free, premium, business, enterprise) => {
    const { FREE, PREMIUM, BUSINESS, ENTERPRISE } = defaultPlans;
    const row = [FREE[cell], PREMIUM[cell], BUSINESS[cell], ENTERPRISE[cell]];
    expect(row).toEqual([free, premium, business, enterprise]);
  });

  test('an operator’s file changes the values that it has, and no other', () => {
    const changed = overridePlans({ PREMIUM: { maxServers: 10 }, FREE: { hasFirewall: true } });
    const { PREMIUM, FREE, ...others } = defaultPlans;
    expect(changed).toEqual({
      ...others,
      PREMIUM: { ...PREMIUM, maxServers: 10 },
      FREE: { ...FREE, hasFirewall: true },
    });
    expect(overridePlans({})).toEqual(defaultPlans);
  });

  test.each([
    [{ GOLD: { maxServers: 10 } }],
    [{ PREMIUM: { maxDogs: 10 } }],
    [{ PREMIUM: { maxServers: -1 } }],
    [{ PREMIUM: { marketplaceFeePercent: 101 } }],
    [null],
  ])('an operator’s file that says %j is refused', (overrides) => {
    expect(() => overridePlans(overrides)).toThrow();
  });
});
