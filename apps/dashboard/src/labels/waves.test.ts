import { expect, test } from 'bun:test';
import { decisionText, newcomerState, signsOf, waveChoices } from './waves.ts';

test('the signs of a raider are named, and those of nobody are none', () => {
  expect(signsOf({ hasPicture: false, isAlike: true })).toEqual(['no picture', 'similar name']);
  expect(signsOf({ hasPicture: true, isAlike: false })).toEqual([]);
});

test('each choice says about how many it decides', () => {
  expect(waveChoices(499, true).map(({ label }) => label)).toEqual([
    'Let 499 in',
    'Kick 499',
    'Ban 499',
  ]);
  expect(waveChoices(1, true)[2]?.title).toBe('Ban 1 newcomer?');
});

test('what was decided is told with how far it is, and why somebody is still there', () => {
  const none = { seen: 0, kept: 0, kicked: 0, spared: 0, gone: 0, removing: 0, failed: 0 };
  const counts = { ...none, held: 3, banned: 57 };
  expect(decisionText('BAN', counts)).toBe('You decided to ban them: 3 are left.');
  expect(decisionText('BAN', { ...counts, held: 0, failed: 1 })).toBe(
    '57 newcomers were banned. 1 could not be removed.',
  );
  expect(newcomerState({ status: 'spared', code: 'VERIFIED' })).toBe('Spared: verified meanwhile');
  expect(newcomerState({ status: 'banned', code: null })).toBe('Banned');
});
