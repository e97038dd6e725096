import { expect, test } from 'bun:test';
import { attackersOf, openIncidentText, unstoppedTitle, worstFirst } from './open-incidents.ts';

const attackers = { total: 1, unstopped: 0 };

test('what still goes on comes first, and an attack before a raid', () => {
  const incidents = [
    { id: 1, kind: 'RAID' as const, status: 'contained' as const, attackers },
    { id: 2, kind: 'NUKE' as const, status: 'contained' as const, attackers },
    { id: 3, kind: 'RAID' as const, status: 'open' as const, attackers },
    { id: 4, kind: 'NUKE' as const, status: 'contained' as const, attackers },
    {
      ...{ id: 5, kind: 'NUKE' as const, status: 'contained' as const },
      attackers: { total: 2, unstopped: 1 },
    },
  ];
  expect(worstFirst(incidents).map(({ id }) => id)).toEqual([5, 3, 2, 4, 1]);
});

test('the button of an open incident says what its owner does there', () => {
  expect(openIncidentText({ kind: 'RAID', status: 'contained', attackers }).action).toBe('Decide');
  expect(openIncidentText({ kind: 'NUKE', status: 'open', attackers }).action).toBe('Follow it');
});

test('no attack is called contained while an attacker is at large', () => {
  const text = openIncidentText({
    ...{ kind: 'NUKE', status: 'contained' },
    attackers: { total: 2, unstopped: 1 },
  });
  expect(text.title).toBe('1 of 2 attackers could not be stopped');
  expect(JSON.stringify(text)).not.toContain('contained');
  expect(unstoppedTitle({ total: 1, unstopped: 1 })).toBe('The attacker could not be stopped');
  expect(unstoppedTitle({ total: 3, unstopped: 3 })).toBe('3 attackers could not be stopped');
});

test('an attacker is at large who could not be stopped, not one who is about to be', () => {
  const person = { platformId: '1', username: 'stowaway', isBot: false, rolesTaken: [] };
  const executors = [
    {
      ...{ ...person, stoppedAt: null },
      notStopped: { code: 'OWNER' as const, detail: 'They own the server.' },
    },
    { ...person, platformId: '2', stoppedAt: null, notStopped: null },
  ];
  expect(attackersOf({ executors })).toEqual({ total: 2, unstopped: 1 });
});
