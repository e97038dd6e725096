import { expect, test } from 'bun:test';
import { remedyOf } from './health.ts';

const judged = { id: 's1', healthReasons: [] };
type Reason = Parameters<typeof remedyOf>[0]['healthReasons'][number];
const reason = (code: Reason['code']): Reason[] => [{ code, detail: 'x' }];

test.each([
  ['a damaged server', { ...judged, health: 'DAMAGED' }, '/servers/s1/recover'],
  ['a lost server', { ...judged, health: 'LOST' }, '/servers/s1/recover'],
  ['a changed server', { ...judged, health: 'CHANGED' }, '/servers/s1/settings'],
  [
    'a server without its verified role',
    { ...judged, health: 'CHANGED', healthReasons: reason('VERIFIED_ROLE_MISSING') },
    '/servers/s1/settings#role',
  ],
  [
    'a server without the channel of a panel',
    { ...judged, health: 'CHANGED', healthReasons: reason('PANEL_CHANNEL_MISSING') },
    '/servers/s1/panels',
  ],
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
