import { expect, test } from 'bun:test';
import { remedyOf } from './health.ts';

const judged = { id: 's1', healthReasons: [] };
const reason = (code: 'NOT_CONNECTED' | 'NO_GOOD_BACKUP') => [{ code, detail: 'x' }];

test.each([
  ['a damaged server', { ...judged, health: 'DAMAGED' }, '/servers/s1/recover'],
  ['a lost server', { ...judged, health: 'LOST' }, '/servers/s1/recover'],
  ['a changed server', { ...judged, health: 'CHANGED' }, '/servers/s1/settings'],
  [
    'a server whose bot is not connected',
    { ...judged, health: 'UNKNOWN', healthReasons: reason('NOT_CONNECTED') },
    '/bots',
  ],
  [
    'a server without a backup',
    { ...judged, health: 'UNKNOWN', healthReasons: reason('NO_GOOD_BACKUP') },
    '/servers/s1/backups',
  ],
  ['a good server', { ...judged, health: 'GOOD' }, undefined],
] satisfies [string, Parameters<typeof remedyOf>[0], string | undefined][])(
  'the button for %s leads to what helps',
  (_, server, to) => {
    expect(remedyOf(server)?.to).toBe(to);
  },
);
