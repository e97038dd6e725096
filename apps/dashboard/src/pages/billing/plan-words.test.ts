import { expect, test } from 'bun:test';
import { limitLines, planOrder } from './plan-words.ts';

const limits = {
  ...{ maxServers: 1, maxBots: 3, maxBackups: 50, maxStorageBytes: 10 * 1024 ** 3 },
  ...{ pullCooldownMs: 1_800_000, marketplaceFeePercent: 7.5, apiRatePerTenSeconds: 100 },
  ...{ hasVpnDetection: true, hasAltDetection: true, hasFirewall: false },
};
const wordsOf = (changes: object = {}) =>
  limitLines({ ...limits, ...changes }).map(({ words }) => words);

test('limits are said in words', () => {
  expect(wordsOf().slice(0, 4)).toEqual([
    '1 server',
    '3 bots',
    '50 backups, 10 GiB',
    'A pull every 30 minutes',
  ]);
  expect(limitLines(limits).at(-1)).toEqual({ words: 'Firewall', isIncluded: false });
});

test('the wait between pulls is whole hours, or none', () => {
  expect(wordsOf({ pullCooldownMs: 0 })[3]).toBe('Pulls without a wait');
  expect(wordsOf({ pullCooldownMs: 7_200_000 })[3]).toBe('A pull every 2 hours');
});

test('plans stand from the lowest to the highest', () => {
  expect(planOrder).toEqual(['FREE', 'PREMIUM', 'BUSINESS', 'ENTERPRISE']);
});
