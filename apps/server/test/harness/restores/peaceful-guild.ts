import type { Overwrite } from '../../../src/platform/guild.ts';
import type { AutomodRule } from '../../../src/platform/guild-parts.ts';
import { snapshotOf, type TestGuild } from '../guilds/arbitrary-guild.ts';
import { newChannel, newRole } from '../guilds/parts.ts';
import { see, shut, smallGuild } from '../guilds/small-guild.ts';

/** A guild before it is attacked, with something of every kind that an undo can bring back. */

const role = (id: string, name: string, position: number) => newRole({ id, name, position });
export const overwriteOf = (id: string, allow: string): Overwrite => ({
  id,
  kind: 'role',
  allow,
  deny: '0',
});

export const rule = (id: string, name: string, exemptChannelIds: string[] = []): AutomodRule => ({
  ...{ id, name, eventType: 1, triggerType: 1, keywords: ['rum', 'grog.example'], patterns: [] },
  ...{ presets: [], allowedWords: [], mentionLimit: null, isRaidProtectionEnabled: null },
  actions: [{ type: 1, channelId: null, durationSeconds: null, customMessage: null }],
  ...{ isEnabled: true, exemptRoleIds: [], exemptChannelIds },
});

export const event = (id: string, name: string) => ({
  ...{ id, name, description: null, venue: 'external' as const, channelId: null },
  ...{ location: 'The pier', startsAt: '2199-01-01T20:00:00.000Z' },
  ...{ endsAt: '2199-01-01T22:00:00.000Z', recurrence: null, imageHash: null },
});

export const sound = (id: string, name: string) => ({
  ...{ id, name, volume: 1, emojiId: null, emojiName: null },
});

const webhook = (id: string, name: string, channelId: string) => ({
  ...{ id, kind: 'incoming' as const, name, channelId, avatarHash: null, source: null },
});

export const peacefulParts = () => ({
  ...{ widget: { isEnabled: false, channelId: null }, vanityCode: null, welcomeScreen: null },
  onboarding: { isEnabled: false, mode: 0, defaultChannelIds: [], prompts: [] },
  automod: [rule('401', 'words', ['312']), rule('402', 'links')],
  events: [event('411', 'Regatta'), event('412', 'Wake')],
  soundboard: [sound('421', 'bell'), sound('422', 'horn')],
  webhooks: [webhook('431', 'log', '312'), webhook('432', 'news', '301')],
});

/** Roles 211 and 212 are deleted; all but 7700 are edited and given. */
export const peacefulGuild = (): TestGuild => {
  const small = smallGuild();
  return {
    ...small,
    roles: [
      ...small.roles.map((one) => (one.id === '7700' ? { ...one, position: 5 } : one)),
      role('211', 'Crew', 3),
      { ...role('212', 'Captain', 4), permissions: '8' },
    ],
    channels: [
      ...small.channels,
      newChannel({ id: '310', kind: 'category', name: 'Deck', position: 0, overwrites: [shut] }),
      newChannel({ id: '311', kind: 'text', name: 'bow', parentId: '310', position: 2 }),
      newChannel({
        ...{ id: '312', kind: 'text', name: 'stern', parentId: '310', position: 3, topic: 'Wake' },
        overwrites: [overwriteOf('211', see), overwriteOf('202', '2048')],
      }),
      newChannel({ id: '313', kind: 'text', name: 'mast', position: 4 }),
      // Nobody deletes it.
      newChannel({ id: '320', kind: 'text', name: 'pier', position: 5 }),
    ],
    bans: [{ userId: '900', reason: 'Mutiny' }],
    members: [
      { userId: '91', nick: null, roleIds: ['211', '201'], isBot: false },
      { userId: '92', nick: 'Bo', roleIds: ['212'], isBot: false },
      { userId: '666', nick: null, roleIds: ['212'], isBot: false },
    ],
    parts: peacefulParts(),
  };
};

/** What was saved of it. */
export const peacefulBackup = () => {
  const { automod, events, soundboard, webhooks } = peacefulParts();
  return {
    ...snapshotOf(peacefulGuild()),
    automod,
    events: events.map((one) => ({ ...one, image: null })),
    soundboard: soundboard.map((one) => ({
      ...{ ...one, sound: { hash: one.name, contentType: 'audio/ogg' } },
    })),
    webhooks: webhooks.map((one) => ({ ...one, avatar: null })),
  };
};
