import { expect, test } from 'bun:test';
import {
  actionLabel,
  describeChanges,
  kindOfSubject,
  nameOfSubject,
  pathOfEntry,
  spacedLabel,
  subjectLabel,
} from './audit.ts';
import { formatTime } from './format.ts';

test('actions and subjects have labels, unknown ones are shown by their own name', () => {
  expect(actionLabel('server.update')).toBe('Changed a server’s settings');
  expect(actionLabel('lightHouse.switch_on')).toBe('Light house switch on');
  expect(subjectLabel('blacklistEntry')).toBe('Blacklist entry');
  expect(subjectLabel('lightHouse')).toBe('Light house');
  expect(spacedLabel('minAccountAgeDays')).toBe('Min account age days');
});

test('a change is shown with what it replaced, where that is known', () => {
  expect(
    describeChanges({
      plan: { from: 'FREE', to: 'PREMIUM' },
      firewallEnabled: { from: false, to: true },
      name: 'Harbour',
      note: null,
      scopes: ['servers:read', 'members:read'],
      retention: { daily: 7, weekly: 4 },
      components: [],
      total: 0,
    }),
  ).toEqual([
    { field: 'plan', before: 'FREE', value: 'PREMIUM' },
    { field: 'firewallEnabled', before: 'no', value: 'yes' },
    { field: 'name', value: 'Harbour' },
    { field: 'note', value: 'nothing' },
    { field: 'scopes', value: 'servers:read, members:read' },
    { field: 'retention', value: 'daily: 7, weekly: 4' },
    { field: 'components', value: 'nothing' },
    { field: 'total', value: '0' },
  ]);
});

test('a time is shown in the reader’s own zone', () => {
  const at = '2027-03-05T23:59:59.000Z';
  expect(describeChanges({ expiresAt: at })).toEqual([
    { field: 'expiresAt', value: formatTime(at) },
  ]);
});

test('backups and rules are named as on their own pages', () => {
  const at = '2026-11-17T19:30:00.000Z';
  const hex = Date.parse(at).toString(16).padStart(12, '0');
  const id = `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
  const named = (type: string, changes: Record<string, unknown>, ofId: string | null = id) =>
    nameOfSubject({ subject: { type, id: ofId }, changes });
  const name = `Before restore ${crypto.randomUUID()}`;
  expect(named('backup', { name })).toBe(`Before the restore of ${formatTime(at)}`);
  expect(named('backup', { name }, null)).toBe('Before a restore');
  expect(named('backup', { name: `Scheduled ${at}` })).toBe(
    `Scheduled backup of ${formatTime(at)}`,
  );
  expect(named('backup', { name: 'My own' })).toBe('My own');
  const backup = { subject: { type: 'backup', id }, changes: { name: 'My own' } };
  expect(kindOfSubject(backup)).toBe('Backup');
  expect(kindOfSubject({ ...backup, changes: {} })).toBe('Backup');
  expect(kindOfSubject({ ...backup, changes: { name } })).toBeUndefined();
  expect(named('whitelistRule', { type: 'COUNTRY', value: 'AQ' })).toBe('Antarctica (AQ)');
  expect(named('firewallRule', { type: 'ASN', value: '64500' })).toBe('AS64500');
  const rule = { subject: { type: 'whitelistRule', id }, changes: { type: 'COUNTRY' } };
  expect(kindOfSubject(rule)).toBe('Whitelist rule, country:');
  expect(kindOfSubject({ ...rule, changes: {} })).toBe('Whitelist rule');
  expect(named('blacklistEntry', { platformId: '1759' })).toBe('1759');
  expect(named('account', { plan: 'PREMIUM' })).toBeUndefined();
});

test('an entry leads to what it is about, unless that was deleted', () => {
  const backup = { subject: { type: 'backup', id: 'b1' }, changes: { serverId: 's1' } };
  expect(pathOfEntry({ ...backup, action: 'backup.complete' })).toBe('/servers/s1/backups/b1');
  expect(pathOfEntry({ ...backup, action: 'backup.delete' })).toBeUndefined();
  expect(pathOfEntry({ ...backup, action: 'backup.complete', changes: {} })).toBeUndefined();
  const order = { action: 'order.pay', subject: { type: 'order', id: 'o1' }, changes: {} };
  expect(pathOfEntry(order)).toBe('/marketplace/orders/o1');
  const key = { action: 'key.create', subject: { type: 'key', id: 'k1' }, changes: {} };
  expect(pathOfEntry(key)).toBeUndefined();
});
