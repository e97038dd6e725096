import { expect, test } from 'bun:test';
import type { Bot } from '../queries/records.ts';
import { type BotValues, botBadge, changedBotFields, thingsToDo } from './bots.ts';

const bot: Bot = {
  ...{ id: 'b', clientId: '42', name: 'Gate', avatar: 'https://x.test/a.png' },
  ...{ status: 'ONLINE', activityType: 'WATCHING', activityText: '', isActive: true },
  ...{ connection: 'CONNECTED', connectedAt: '2026-01-01T00:00:00.000Z' },
  ...{ trouble: null, intents: { granted: [], missing: [] } },
  ...{ createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' },
};

const unchanged: BotValues = {
  ...{ name: 'Gate', clientId: '42', status: 'ONLINE', activityType: 'WATCHING' },
  ...{ activityText: '', isActive: true },
  ...{ publicKey: '', redirectUri: '', botToken: '', clientSecret: '' },
};

test('nothing is sent where nothing was changed', () => {
  expect(changedBotFields(bot, unchanged)).toEqual({});
});

test('what differs is sent, and a secret only where one was typed', () => {
  const values = {
    ...unchanged,
    name: 'Watch',
    isActive: false,
    botToken: 'new',
    activityText: 'x',
  };
  const changes = { name: 'Watch', isActive: false, botToken: 'new', activityText: 'x' };
  expect(changedBotFields(bot, values)).toEqual(changes);
});

test('a bot is green only where nothing is left to do', () => {
  const state = { isRedirectSet: false, intents: { missing: [] } };
  expect(thingsToDo({ state, isPublicKeyGood: false })).toBe(2);
  expect(thingsToDo({ state: null, isPublicKeyGood: true })).toBeUndefined();
  expect(botBadge('CONNECTED', 2)).toEqual({ label: '2 things to do', color: 'yellow' });
  expect(botBadge('CONNECTED', 0).color).toBe('green');
  expect(botBadge('REFUSED', 2).label).toBe('Refused');
});
