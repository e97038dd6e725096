import { expect, test } from 'bun:test';
import {
  defaultRaid as contractRaid,
  defaultThresholds as contractThresholds,
  limitCodes,
  protectionWeakenings,
  thresholdKinds,
} from '@holdfast/contract';
import type { Protection } from '../queries/records.ts';
import { keysOf } from './format.ts';
import {
  defaultHint,
  defaultRaid,
  defaultThresholds,
  describePending,
  keepAsItIs,
  limitLabels,
  thresholdLabels,
  weakeningLabels,
} from './protection.ts';

const protection: Protection = {
  ...{ antiNukeEnabled: true, antiRaidEnabled: true, autoRepair: true },
  ...{ thresholds: defaultThresholds, raid: defaultRaid },
  trusted: [{ platformId: '1', note: 'Mod' }],
  ...{ disableDelayMinutes: 30, pending: [], cannotStop: [] },
};
const withThreshold = (bans: { count: number; perSeconds: number }) => ({
  thresholds: { ...defaultThresholds, bans },
});

test('kinds, limits and defaults are those of the contract', () => {
  expect(keysOf(thresholdLabels)).toEqual([...thresholdKinds]);
  expect(keysOf(limitLabels).toSorted()).toEqual([...limitCodes].toSorted());
  expect(defaultThresholds).toEqual(contractThresholds);
  expect(defaultRaid).toEqual(contractRaid);
});

test.each<[Partial<Protection>, string | undefined]>([
  [{ antiNukeEnabled: false }, 'Stop attackers'],
  [{ antiRaidEnabled: false }, 'Stop raids'],
  [{ autoRepair: false }, 'Repair automatically'],
  [withThreshold({ count: 6, perSeconds: 30 }), 'Members banned'],
  [withThreshold({ count: 5, perSeconds: 29 }), 'Members banned'],
  [withThreshold({ count: 4, perSeconds: 31 }), undefined],
  [{ raid: { ...defaultRaid, joins: 21 } }, 'When joins are a raid'],
  [{ raid: { ...defaultRaid, minAccountAgeDays: 2 } }, 'When joins are a raid'],
  [{ raid: { ...defaultRaid, joins: 10 } }, undefined],
  [{ trusted: [{ platformId: '2', note: '' }] }, 'Trusted people and bots'],
  [{ trusted: [{ platformId: '1', note: 'Another note' }] }, undefined],
  [{ trusted: [] }, undefined],
  [{ disableDelayMinutes: 29 }, 'Delay before protection can be lowered'],
  [{ disableDelayMinutes: 31 }, undefined],
])('%j is told to weaken protection exactly where the service sees it so', (change, label) => {
  expect(weakeningLabels(protection, { ...protection, ...change })).toEqual(label ? [label] : []);
  const weakened = keysOf(protectionWeakenings).filter(
    (name) =>
      change[name] !== undefined && protectionWeakenings[name](change[name], protection[name]),
  );
  expect(weakened).toHaveLength(label ? 1 : 0);
});

test('a weakening that waits is said in the words of the page', () => {
  const [from, to] = [defaultThresholds.bans, { count: 9, perSeconds: 20 }];
  expect(describePending({ field: 'thresholds.bans', from, to })).toEqual({
    label: 'Members banned',
    from: '5 bans in 30 s',
    to: '9 bans in 20 s',
  });
  const friend = { platformId: '2', note: '' };
  expect(
    describePending({
      field: 'trusted',
      from: protection.trusted,
      to: [...protection.trusted, friend],
    }),
  ).toMatchObject({ from: '1 trusted', to: '2 trusted, also 2' });
  expect(describePending({ field: 'antiNukeEnabled', from: true, to: false }).to).toBe('off');
  expect(describePending({ field: 'disableDelayMinutes', from: 90, to: 0 })).toMatchObject({
    ...{ from: '90 minutes', to: 'no delay' },
  });
});

test('it is taken back by naming what is in force', () => {
  expect(keepAsItIs(protection, 'antiNukeEnabled')).toEqual({ antiNukeEnabled: true });
  expect(keepAsItIs(protection, 'thresholds.bans')).toEqual({
    thresholds: { bans: defaultThresholds.bans },
  });
});

test('a default is shown where it was changed', () => {
  expect(defaultHint('kicks', defaultThresholds.kicks)).toBeUndefined();
  expect(defaultHint('kicks', { count: 1, perSeconds: 1 })).toBe('Default: 5 kicks in 30 s.');
});
