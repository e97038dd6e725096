import { expect, test } from 'bun:test';
import { actionLabel, describeChanges, spacedLabel, subjectLabel } from './audit.ts';
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
