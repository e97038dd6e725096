import { describe, expect, test } from 'bun:test';
import type { OverviewServer } from '../../queries/records.ts';
import { attentionItems } from './attention.ts';

const now = Date.parse('2026-05-10T12:00:00.000Z');
const hoursAgo = (hours: number) => new Date(now - hours * 3_600_000).toISOString();

const tested = { id: 'b1', completedAt: hoursAgo(3), restorable: true, suspicious: false };

const server = (changes: Partial<OverviewServer> = {}): OverviewServer => ({
  ...{ id: 's1', name: 'Harbour', icon: 'https://x.test/i.png', memberCount: 9, members: 5 },
  ...{ pullableMembers: 4, openAppeals: 0, backupEveryHours: null, running: [] },
  bot: { id: 'bot', name: 'Gate', isActive: true, isRefused: false, isSecretRefused: false },
  ...{ health: 'GOOD', healthReasons: [], lastGoodBackupId: 'b1' },
  brokenPointers: [],
  lastBackup: tested,
  unrestorableBackups: null,
  ...{ hasVerifiedRole: true, hasLogChannel: true, postedPanels: 1 },
  openIncidents: [],
  ...changes,
});

const attack = (attackers: { total: number; unstopped: number }) => ({
  ...{ id: 'i1', kind: 'NUKE' as const, status: 'contained' as const },
  attackers,
});

const limits = {
  ...{ maxServers: 5, maxBots: 3, maxBackups: 50, maxStorageBytes: 1000, pullCooldownMs: 0 },
  ...{ marketplaceFeePercent: 10, apiRatePerTenSeconds: 50 },
  ...{ hasVpnDetection: true, hasAltDetection: true, hasFirewall: true, hasAutoRepair: true },
};
const subscription = {
  ...{ plan: 'PREMIUM' as const, status: 'ACTIVE' as const, currentPeriodEnd: hoursAgo(-99) },
  ...{ isTrial: false, trialEndsAt: null, cancelledAt: null },
};
const account = { subscription, limits };
const usage = { backups: 1, storageBytes: 10 };

const messagesFor = (changes: Partial<OverviewServer>) =>
  attentionItems(account, [server(changes)], usage, now).map(({ message }) => message);

describe('what needs attention', () => {
  test('is nothing where a recent backup passed its test restore', () => {
    expect(attentionItems(account, [server()], usage, now)).toEqual([]);
  });

  test.each([
    ['no backup', { lastBackup: null }, /no backup yet/],
    ['an old one', { lastBackup: { ...tested, completedAt: hoursAgo(200) } }, /8 days ago/],
    ['an untested one', { lastBackup: { ...tested, restorable: null } }, /not test-restored/],
    ['one whose test restore failed', { lastBackup: { ...tested, restorable: false } }, /failed/],
    ['one of a wrecked server', { lastBackup: { ...tested, suspicious: true } }, /were gone/],
    ['a refused bot', { bot: { ...server().bot, isActive: false, isRefused: true } }, /refuses/],
    ['a refused client secret', { bot: { ...server().bot, isSecretRefused: true } }, /secret/],
    ['a bot that is off', { bot: { ...server().bot, isActive: false } }, /switched off/],
    ['a verified role that is gone', { brokenPointers: ['verifiedRoleId'] }, /get no role/],
    ['a log channel that is gone', { brokenPointers: ['logChannelId'] }, /log channel is gone/],
    [
      'a lost server',
      { health: 'LOST', healthReasons: [{ code: 'BOT_NOT_IN_GUILD', detail: 'It is gone.' }] },
      /It is gone/,
    ],
    [
      'an attack',
      { openIncidents: [attack({ total: 1, unstopped: 0 })] },
      /An attack was contained/,
    ],
    [
      'an attacker at large',
      { openIncidents: [attack({ total: 2, unstopped: 1 })] },
      /^1 of 2 attackers could not be stopped/,
    ],
    ['appeals', { openAppeals: 2 }, /2 appeals to decide/],
  ] satisfies [string, Partial<OverviewServer>, RegExp][])('names %s', (_, changes, message) => {
    expect(messagesFor(changes)).toEqual([expect.stringMatching(message)]);
  });

  test('names an attack and a raid, the attack first', () => {
    const status = 'contained' as const;
    const attackers = { total: 0, unstopped: 0 };
    const [raid, nuke] = [
      { id: 'i1', kind: 'RAID' as const },
      { id: 'i2', kind: 'NUKE' as const },
    ];
    const openIncidents = [raid, nuke].map((incident) => ({ ...incident, status, attackers }));
    expect(messagesFor({ openIncidents })).toEqual([
      expect.stringMatching(/attack/),
      'A raid was contained. Decide about its newcomers.',
    ]);
  });

  test('leads from a damaged server to its recovery, once', () => {
    const healthReasons = [{ code: 'CHANNELS_MISSING' as const, detail: '5 of 9 are missing.' }];
    const damaged = { health: 'DAMAGED' as const, healthReasons, lastGoodBackupId: 'b7' };
    const wrecked = server({ ...damaged, lastBackup: { ...tested, suspicious: true } });
    expect(attentionItems(account, [wrecked], usage, now)).toEqual([
      expect.objectContaining({
        ...{ isUrgent: true, message: '5 of 9 are missing.', to: '/servers/s1/recover' },
      }),
    ]);
  });

  test('leads from a backup of a wrecked server to the last good one', () => {
    const lastBackup = { ...tested, suspicious: true };
    const wayOf = (lastGoodBackupId: string | null) =>
      attentionItems(account, [server({ lastBackup, lastGoodBackupId })], usage, now)[0]?.to;
    expect(wayOf('b7')).toBe('/servers/s1/backups/b7');
    expect(wayOf(null)).toBe(`/servers/s1/backups/${tested.id}`);
  });

  test('names other backups that cannot be restored, and leads to the newest', () => {
    const unrestorableBackups = { total: 2, newestId: 'b9' };
    const items = attentionItems(account, [server({ unrestorableBackups })], usage, now);
    expect(items).toEqual([
      expect.objectContaining({
        ...{ isUrgent: true, message: '2 backups cannot be restored.' },
        to: '/servers/s1/backups/b9',
      }),
    ]);
  });

  test('names a last backup that cannot be restored once, and the others beside it', () => {
    const lastBackup = { ...tested, restorable: false };
    const alone = { lastBackup, unrestorableBackups: { total: 1, newestId: 'b1' } };
    expect(messagesFor(alone)).toEqual([expect.stringMatching(/failed/)]);
    const both = { lastBackup, unrestorableBackups: { total: 2, newestId: 'b1' } };
    expect(messagesFor(both)).toEqual([
      expect.stringMatching(/failed/),
      '1 older backup cannot be restored either.',
    ]);
  });

  test('says nothing of a first backup that is being made', () => {
    const running = [{ kind: 'BACKUP' as const, id: 'b', progress: 5 }];
    expect(messagesFor({ lastBackup: null, running })).toEqual([]);
  });

  test('measures the age of a backup by its schedule', () => {
    const lastBackup = { ...tested, completedAt: hoursAgo(30) };
    expect(messagesFor({ lastBackup, backupEveryHours: 24 })).toEqual([]);
    expect(messagesFor({ lastBackup, backupEveryHours: 12 })).toHaveLength(1);
  });

  test('warns of a plan that is nearly full, and more so of one that is', () => {
    const near = attentionItems(account, [], { backups: 40, storageBytes: 799 }, now);
    expect(near.map(({ key, isUrgent }) => [key, isUrgent])).toEqual([['backups', false]]);
    const full = attentionItems(account, [], { backups: 50, storageBytes: 1000 }, now);
    expect(full.map(({ isUrgent }) => isUrgent)).toEqual([true, true]);
  });

  test('puts urgent items first', () => {
    const due = { subscription: { ...subscription, status: 'PAST_DUE' as const }, limits };
    const servers = [server({ openAppeals: 1 }), server({ id: 's2', lastBackup: null })];
    const keys = attentionItems(due, servers, usage, now).map(({ key }) => key);
    expect(keys).toEqual(['payment', 'backup-s2', 'appeals-s1']);
  });
});
