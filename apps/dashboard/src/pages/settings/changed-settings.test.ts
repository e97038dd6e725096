import { expect, test } from 'bun:test';
import { changedSettings, type Settings } from './changed-settings.ts';

const server: Settings = {
  ...{ name: 'Harbour', customBotId: 'b', platformGuildId: '1' },
  ...{ verifiedRoleId: '2', logChannelId: null, captchaType: 'POW' },
  ...{ vpnBlockEnabled: true, altDetectEnabled: false, firewallEnabled: false },
  ...{ minAccountAgeDays: 0, restoreRolesOnRejoin: true },
  ...{ backupSchedule: { everyHours: 24 }, retention: { daily: 7, weekly: 4, monthly: 3 } },
};

test('nothing is changed where every edit was taken back', () => {
  const edits = { name: 'Harbour', logChannelId: null, backupSchedule: { everyHours: 24 } };
  expect(changedSettings(server, {})).toEqual({});
  expect(changedSettings(server, edits)).toEqual({});
});

test('what differs is sent, nothing and off among it', () => {
  const edits = {
    ...{ name: 'Harbour', verifiedRoleId: null, vpnBlockEnabled: false, backupSchedule: null },
    retention: { daily: 7, weekly: 4, monthly: 6 },
  };
  const { name: _same, ...changes } = edits;
  expect(changedSettings(server, edits)).toEqual(changes);
});
