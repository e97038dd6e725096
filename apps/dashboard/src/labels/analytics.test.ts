import { expect, test } from 'bun:test';
import { countryShares, funnelSteps, lossText, worstStep } from './analytics.ts';

const noReasons = {
  ...{ BLACKLIST: 0, FIREWALL: 0, VPN: 0 },
  ...{ ALT: 0, ACCOUNT_AGE: 0, CAPTCHA: 0 },
};

test('each step of the funnel says how many were lost on the way to it', () => {
  const funnel = {
    visited: 100,
    authorized: 80,
    captchaPassed: 80,
    checksPassed: 40,
    verified: 40,
  };
  const steps = funnelSteps({ funnel, blockReasons: noReasons });
  expect(steps.map(({ lost }) => lost)).toEqual([0, 20, 0, 40, 0]);
  expect(steps.map(({ lostShare }) => lostShare)).toEqual([0, 0.2, 0, 0.5, 0]);
});

test('the step at which most gave up is named', () => {
  const funnel = { visited: 9, authorized: 8, captchaPassed: 8, checksPassed: 3, verified: 3 };
  expect(worstStep({ funnel, blockReasons: noReasons })).toBe(
    'The largest loss is before “Passed the checks”: 5 of 8 left.',
  );
  expect(worstStep({ funnel, blockReasons: { ...noReasons, VPN: 3 } })).toBe(
    'The largest loss is before “Passed the checks”: 5 of 8, 3 of them blocked.',
  );
  expect(worstStep({ funnel, blockReasons: { ...noReasons, VPN: 4, ALT: 1 } })).toBe(
    'The largest loss is before “Passed the checks”: 5 of 8 were blocked.',
  );
  const all = { visited: 3, authorized: 3, captchaPassed: 3, checksPassed: 3, verified: 3 };
  expect(worstStep({ funnel: all, blockReasons: noReasons })).toStartWith('Everybody');
});

test('who was blocked is not said to have left', () => {
  const funnel = { visited: 10, authorized: 9, captchaPassed: 7, checksPassed: 4, verified: 4 };
  const blockReasons = { ...noReasons, CAPTCHA: 1, VPN: 2, ACCOUNT_AGE: 1 };
  const losses = funnelSteps({ funnel, blockReasons }).filter(({ lost }) => lost > 0);
  expect(losses.map(lossText)).toEqual([
    '1 left here (10%)',
    '1 left here, 1 blocked (22.2%)',
    '3 blocked (42.9%)',
  ]);
});

test('countries and the rest add up to all attempts', () => {
  const totals = { attempts: 10, verified: 4, blocked: 4, conversionRate: 0.4 };
  const shares = countryShares({ totals, topCountries: [{ country: 'DE', attempts: 7 }] });
  expect(shares).toEqual([
    { name: 'Germany', attempts: 7 },
    { name: 'Other or unknown', attempts: 3 },
  ]);
  const known = countryShares({ totals, topCountries: [{ country: 'DE', attempts: 10 }] });
  expect(known).toHaveLength(1);
});

test('an empty funnel loses nobody', () => {
  const none = { visited: 0, authorized: 0, captchaPassed: 0, checksPassed: 0, verified: 0 };
  expect(
    funnelSteps({ funnel: none, blockReasons: noReasons }).every(
      ({ lostShare }) => lostShare === 0,
    ),
  ).toBe(true);
});
