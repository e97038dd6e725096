import { expect, test } from 'bun:test';
import { actionLabel, describeChanges, pathOfEntry, spacedLabel, subjectLabel } from './audit.ts';
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
