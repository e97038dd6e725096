import { expect, test } from 'bun:test';
import { ownersPause } from './owners-pause.ts';

const now = new Date('2026-07-01T12:00:00Z');
const inHours = (hours: number) => new Date(now.getTime() + hours * 3_600_000);
/** A raid, and an attack that began while its pause was in effect. */
const made = [
  { until: inHours(20), before: inHours(2) },
  { until: inHours(23), before: inHours(2) },
];

test.each([
  ['nothing is paused', undefined, [], null],
  ['a pause of their own', inHours(3), made, inHours(3)],
  ['ours over theirs', inHours(23), made, inHours(2)],
  ['ours, as the platform rounded it', new Date('2026-07-02T11:00:00.999Z'), made, inHours(2)],
  ['ours over nothing', inHours(20), [{ until: inHours(20), before: null }], null],
  ['ours over one that has ended', inHours(9), [{ until: inHours(9), before: inHours(-1) }], null],
  ['one that has ended', inHours(-1), made, null],
])('%s', (_, inEffect, pauses, wanted) => {
  expect(ownersPause(inEffect, pauses, now)).toEqual(wanted);
});
