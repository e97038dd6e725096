import { expect, test } from 'bun:test';
import { defaultRaid, defaultThresholds } from '../../labels/protection.ts';
import type { Protection } from '../../queries/records.ts';
import { changedProtection, countChanges } from './changed-protection.ts';

const protection: Protection = {
  ...{ antiNukeEnabled: true, antiRaidEnabled: false, autoRepair: false },
  ...{ thresholds: defaultThresholds, raid: defaultRaid, trusted: [] },
  ...{ disableDelayMinutes: 0, pending: [], cannotStop: [] },
};

test('only what differs is sent, of the thresholds only the kinds that do', () => {
  const edits = {
    ...{ antiNukeEnabled: true, antiRaidEnabled: true },
    raid: { ...defaultRaid },
    thresholds: { ...defaultThresholds, bans: { count: 4, perSeconds: 30 } },
  };
  const changes = changedProtection(protection, edits);
  expect(changes).toEqual({
    antiRaidEnabled: true,
    thresholds: { bans: { count: 4, perSeconds: 30 } },
  });
  expect(countChanges(changes)).toBe(2);
});

test('an edit that was taken back is none', () => {
  const edits = { thresholds: { ...defaultThresholds }, trusted: [], autoRepair: false };
  expect(changedProtection(protection, edits)).toEqual({});
});
