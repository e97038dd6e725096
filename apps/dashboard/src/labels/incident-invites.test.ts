import { expect, test } from 'bun:test';
import { invitesState } from './incident-invites.ts';

const at = '2026-03-01T12:00:00.000Z';
const until = '2026-03-02T12:00:00.000Z';
const stepOf = (kind: string, status: 'done' | 'failed' = 'done') => ({
  ...{ kind, status, at, endedAt: null },
});
const paused = { invitesPausedUntil: until, steps: [stepOf('PAUSE_INVITES')] };

test('a pause of the invites says until when it lasts, and afterwards when it ended', () => {
  expect(invitesState(paused, Date.parse(at))).toEqual({
    ...{ text: 'Invites are paused until', at: until },
  });
  expect(invitesState(paused, Date.parse(until)).text).toBe('The pause of the invites ended at');
});

test('what is said of invites agrees with what was done about them', () => {
  const textAfter = (...steps: ReturnType<typeof stepOf>[]) =>
    invitesState({ invitesPausedUntil: null, steps }, Date.parse(at)).text;
  expect(textAfter()).toBe('Invites are not paused');
  expect(textAfter(stepOf('PAUSE_INVITES', 'failed'))).toBe('Invites are not paused');
  expect(textAfter(stepOf('PAUSE_INVITES'))).toBe('Invites work again');
  expect(textAfter(stepOf('PAUSE_INVITES'), stepOf('RESUME_INVITES'))).toBe(
    'Invites work again since',
  );
});
