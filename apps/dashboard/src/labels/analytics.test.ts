import { expect, test } from 'bun:test';
import { funnelSteps, worstStep } from './analytics.ts';

test('each step of the funnel says how many were lost on the way to it', () => {
  const steps = funnelSteps({
    visited: 100,
    authorized: 80,
    captchaPassed: 80,
    checksPassed: 40,
    verified: 40,
  });
  expect(steps.map(({ lost }) => lost)).toEqual([0, 20, 0, 40, 0]);
  expect(steps.map(({ lostShare }) => lostShare)).toEqual([0, 0.2, 0, 0.5, 0]);
});

test('the step at which most gave up is named', () => {
  const funnel = { visited: 9, authorized: 8, captchaPassed: 8, checksPassed: 3, verified: 3 };
  expect(worstStep(funnel)).toBe('Most left before “Passed the checks”: 5 of 8.');
  expect(worstStep({ ...funnel, visited: 3, authorized: 3, captchaPassed: 3 })).toStartWith(
    'Everybody',
  );
});

test('an empty funnel loses nobody', () => {
  const none = { visited: 0, authorized: 0, captchaPassed: 0, checksPassed: 0, verified: 0 };
  expect(funnelSteps(none).every(({ lostShare }) => lostShare === 0)).toBe(true);
});
