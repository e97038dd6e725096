import { describe, expect, test } from 'bun:test';
import { attentionOf, type OverviewServer } from './attention.ts';

const now = Date.parse('2026-05-10T12:00:00.000Z');
const hoursAgo = (hours: number) => new Date(now - hours * 3_600_000).toISOString();

const proved = { id: 'b1', completedAt: hoursAgo(3), restorable: true, suspicious: false };

const server = (changes: Partial<OverviewServer> = {}): OverviewServer => ({
  ...{ id: 's1', name: 'Harbour', icon: 'https://x.test/i.png', memberCount: 9, members: 5 },
  ...{ pullableMembers: 4, openAppeals: 0, backupEveryHours: null, running: [] },
  bot: { id: 'bot', name: 'Gate', isActive: true, isRefused: false, isSecretRefused: false },
  lastBackup: proved,
  unrestorableBackups: null,
  ...changes,
});

const limits = {
  ...{ maxServers: 5, maxBots: 3, maxBackups: 50, maxStorageBytes: 1000, pullCooldownMs: 0 },
  ...{ marketplaceFeePercent: 10, apiRatePerTenSeconds: 50 },
  ...{ hasVpnDetection: true, hasAltDetection: true, hasFirewall: true },
};
const subscription = {
  ...{ plan: 'PREMIUM' as const, status: 'ACTIVE' as const, currentPeriodEnd: hoursAgo(-99) },
  ...{ isTrial: false, trialEndsAt: null, cancelledAt: null },
};
const account = { subscription, limits };
const usage = { backups: 1, storageBytes: 10 };

const wordsFor = (changes: Partial<OverviewServer>) =>
  attentionOf(account, [server(changes)], usage, now).map(({ words }) => words);

describe('what needs attention', () => {
  test('is nothing where a proved backup is recent', () => {
    expect(attentionOf(account, [server()], usage, now)).toEqual([]);
  });

  test.each([
    ['no backup', { lastBackup: null }, /no backup yet/],
    ['an old one', { lastBackup: { ...proved, completedAt: hoursAgo(200) } }, /8 days ago/],
    ['an unproved one', { lastBackup: { ...proved, restorable: null } }, /No drill/],
    ['one that failed its drill', { lastBackup: { ...proved, restorable: false } }, /failed its/],
    ['one of a wrecked server', { lastBackup: { ...proved, suspicious: true } }, /were gone/],
    ['a refused bot', { bot: { ...server().bot, isActive: false, isRefused: true } }, /refuses/],
    ['a refused client secret', { bot: { ...server().bot, isSecretRefused: true } }, /secret/],
    ['a bot that is off', { bot: { ...server().bot, isActive: false } }, /switched off/],
    ['appeals', { openAppeals: 2 }, /2 appeals to decide/],
  ] satisfies [string, Partial<OverviewServer>, RegExp][])('names %s', (_, changes, words) => {
    expect(wordsFor(changes)).toEqual([expect.stringMatching(words)]);
  });

  test('names other backups that cannot be restored, and leads to the newest', () => {
    const unrestorableBackups = { total: 2, newestId: 'b9' };
    const things = attentionOf(account, [server({ unrestorableBackups })], usage, now);
    expect(things).toEqual([
      expect.objectContaining({
        ...{ isUrgent: true, words: '2 backups cannot be restored.' },
        to: '/servers/s1/backups/b9',
      }),
    ]);
  });

  test('names a last backup that cannot be restored once, and the others beside it', () => {
    const lastBackup = { ...proved, restorable: false };
    const alone = { lastBackup, unrestorableBackups: { total: 1, newestId: 'b1' } };
    expect(wordsFor(alone)).toEqual([expect.stringMatching(/failed its/)]);
    const both = { lastBackup, unrestorableBackups: { total: 2, newestId: 'b1' } };
    expect(wordsFor(both)).toEqual([
      expect.stringMatching(/failed its/),
      '1 older backup cannot be restored either.',
    ]);
  });

  test('says nothing of a first backup that is being made', () => {
    const running = [{ kind: 'BACKUP' as const, id: 'b', progress: 5 }];
    expect(wordsFor({ lastBackup: null, running })).toEqual([]);
  });

  test('measures the age of a backup by its schedule', () => {
    const lastBackup = { ...proved, completedAt: hoursAgo(30) };
    expect(wordsFor({ lastBackup, backupEveryHours: 24 })).toEqual([]);
    expect(wordsFor({ lastBackup, backupEveryHours: 12 })).toHaveLength(1);
  });

  test('warns of a plan that is nearly full, and more so of one that is', () => {
    const near = attentionOf(account, [], { backups: 40, storageBytes: 799 }, now);
    expect(near.map(({ key, isUrgent }) => [key, isUrgent])).toEqual([['backups', false]]);
    const full = attentionOf(account, [], { backups: 50, storageBytes: 1000 }, now);
    expect(full.map(({ isUrgent }) => isUrgent)).toEqual([true, true]);
  });

  test('puts urgent things first', () => {
    const due = { subscription: { ...subscription, status: 'PAST_DUE' as const }, limits };
    const servers = [server({ openAppeals: 1 }), server({ id: 's2', lastBackup: null })];
    const keys = attentionOf(due, servers, usage, now).map(({ key }) => key);
    expect(keys).toEqual(['payment', 'backup-s2', 'appeals-s1']);
  });
});
