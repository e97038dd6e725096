import { expect, test } from 'bun:test';
import { openIncidentText, worstFirst } from './open-incidents.ts';

test('what still goes on comes first, and an attack before a raid', () => {
  const incidents = [
    { id: 1, kind: 'RAID' as const, status: 'contained' as const },
    { id: 2, kind: 'NUKE' as const, status: 'contained' as const },
    { id: 3, kind: 'RAID' as const, status: 'open' as const },
    { id: 4, kind: 'NUKE' as const, status: 'contained' as const },
  ];
  expect(worstFirst(incidents).map(({ id }) => id)).toEqual([3, 2, 4, 1]);
});

test('the button of an open incident says what its owner does there', () => {
  expect(openIncidentText({ kind: 'RAID', status: 'contained' }).action).toBe('Decide');
  expect(openIncidentText({ kind: 'NUKE', status: 'open' }).action).toBe('Follow it');
});
