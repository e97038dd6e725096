import { expect, test } from 'bun:test';
import { momentWords } from '../../parts/words.ts';
import { actionText, spacedWords, subjectText } from './action-words.ts';
import { changesOf } from './change-words.ts';

test('what was done is told in words, and what has none by its own name', () => {
  expect(actionText('server.update')).toBe('Changed a server’s settings');
  expect(actionText('lightHouse.switch_on')).toBe('Light house switch on');
  expect(subjectText('blacklistEntry')).toBe('Blacklist entry');
  expect(subjectText('lightHouse')).toBe('Light house');
  expect(spacedWords('minAccountAgeDays')).toBe('Min account age days');
});

test('a change is told with what it replaced, where that is known', () => {
  expect(
    changesOf({
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

test('a time is told in the reader’s own zone', () => {
  const at = '2027-03-05T23:59:59.000Z';
  expect(changesOf({ expiresAt: at })).toEqual([{ field: 'expiresAt', value: momentWords(at) }]);
});
