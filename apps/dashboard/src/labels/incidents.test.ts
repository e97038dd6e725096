import { expect, test } from 'bun:test';
import { actChoice, actLabel, actsText } from './incident-acts.ts';
import {
  formatMs,
  incidentState,
  incidentTitle,
  returnText,
  stepText,
  stopCodeText,
} from './incidents.ts';

const executor = { stoppedAt: null, notStopped: null, rolesTaken: [], isBot: false };
const step = {
  ...{ seq: 1, kind: 'STOP_EXECUTOR', executorId: '1', status: 'done' as const, code: null },
  ...{ isKicked: false, at: '2026-05-10T12:00:00.000Z', endedAt: null },
};
const nameOf = (id: string) => `somebody ${id}`;

test('acts are counted in words, also those that have none', () => {
  expect(actsText('channelDeleted', 12)).toBe('deleted 12 channels');
  expect(actsText('memberBanned', 1)).toBe('banned 1 member');
  expect(actsText('somethingNew', 2)).toBe('did something else 2 times');
  expect(actsText('guildChanged', 1)).toBe('changed the server settings');
  expect(actLabel('roleChanged')).toBe('Changed the role');
  expect(actLabel('overwriteChanged')).toBe('Changed permissions of');
  expect(actChoice('overwriteChanged')).toBe('Changed channel permissions');
});

test.each([
  ['took roles', step, 'Took the dangerous roles of somebody 1'],
  ['removed the bot', { ...step, isKicked: true }, 'Removed the bot somebody 1'],
  ['failed', { ...step, status: 'failed' as const }, 'somebody 1 could not be stopped'],
  ['another step', { ...step, kind: 'PAUSE_INVITES', executorId: null }, 'Invites were paused'],
  ['an unknown step', { ...step, kind: 'SOMETHING_NEW' }, 'Something new'],
])('a step says that it %s', (_, given, text) => {
  expect(stepText(given, nameOf)).toBe(text);
});

test('an incident is named after who began it', () => {
  const [one, other] = [
    { ...executor, platformId: '1', username: 'stowaway' },
    { ...executor, platformId: '2', username: '' },
  ];
  expect(incidentTitle({ kind: 'NUKE', executors: [one] })).toBe('Attack by stowaway');
  expect(incidentTitle({ kind: 'NUKE', executors: [other, one] })).toBe('Attack by 2 and 1 other');
  expect(incidentTitle({ kind: 'RAID', executors: [] })).toBe('Raid');
});

test('codes that a page does not know yet are shown as they are', () => {
  expect(stopCodeText('OWNER')).toBe('They own the server.');
  expect(stopCodeText('SOMETHING_NEW')).toBe('Something new');
  expect(returnText(null)).toBeUndefined();
});

test('short times have a decimal', () => {
  expect([840, 9999, 65_000].map(formatMs)).toEqual(['0.8 s', '10 s', '1 min 5 s']);
  expect([0, 40].map(formatMs)).toEqual(['under 1 s', 'under 1 s']);
});

test('what the audit log explained later is told apart from what somebody dismissed', () => {
  const messageOf = (total: number) =>
    incidentState({ kind: 'NUKE', status: 'dismissed', acts: { ...noActs, total } }).message;
  expect(messageOf(0)).toContain('it was no attack');
  expect(messageOf(3)).toContain('declared honest work');
});

const noActs = {
  byKind: {
    ...{ channelDeletes: 0, roleDeletes: 0, bans: 0 },
    ...{ kicks: 0, webhookCreates: 0, emojiDeletes: 0 },
  },
};
