import type { Snapshot } from '../../../src/features/backups/snapshot/snapshot.ts';
import type { LiveParts } from '../../../src/features/restores/plan/parts/live-parts.ts';
import { createEmptyParts } from '../../../src/features/restores/verify/model-parts.ts';
import type { AutomodRule, ScheduledEvent } from '../../../src/platform/guild-parts.ts';
import { snapshotOf, type TestGuild } from './arbitrary-guild.ts';
import { newChannel } from './parts.ts';
import { guildId, smallGuild } from './small-guild.ts';

const stored = { hash: 'a'.repeat(64), contentType: 'image/png' };
const storedSound = { hash: 'b'.repeat(64), contentType: 'audio/ogg' };

export const newRule = (fields: Partial<AutomodRule> & Pick<AutomodRule, 'id'>): AutomodRule => ({
  name: 'No spam',
  eventType: 1,
  triggerType: 1,
  keywords: ['spam'],
  patterns: [],
  presets: [],
  allowedWords: [],
  mentionLimit: null,
  isRaidProtectionEnabled: null,
  actions: [{ type: 2, channelId: '302', durationSeconds: null, customMessage: null }],
  isEnabled: true,
  exemptRoleIds: ['202'],
  exemptChannelIds: ['302'],
  ...fields,
});

export const newEvent = (
  fields: Partial<ScheduledEvent> & Pick<ScheduledEvent, 'id' | 'startsAt'>,
): ScheduledEvent => ({
  name: 'Regatta',
  description: 'Boats',
  venue: 'external',
  channelId: null,
  location: 'The harbour',
  endsAt: null,
  recurrence: null,
  imageHash: null,
  ...fields,
});

export const future = '2100-01-01T10:00:00.000Z';
export const past = '2020-01-01T10:00:00.000Z';

const parts = (): LiveParts => ({
  widget: { isEnabled: true, channelId: '301' },
  vanityCode: null,
  automod: [
    newRule({ id: '501' }),
    newRule({ id: '502', name: 'No storms of mentions', triggerType: 5, mentionLimit: 5 }),
  ],
  onboarding: {
    isEnabled: true,
    mode: 0,
    defaultChannelIds: ['301'],
    prompts: [
      {
        id: '601',
        type: 0,
        title: 'Who are you?',
        isSingleSelect: true,
        isRequired: false,
        isInOnboarding: true,
        options: [
          {
            id: '602',
            title: 'A member',
            description: null,
            emojiId: null,
            emojiName: '⚓',
            isEmojiAnimated: false,
            channelIds: ['301'],
            roleIds: ['201'],
          },
        ],
      },
    ],
  },
  welcomeScreen: {
    isEnabled: true,
    description: 'Ahoy',
    channels: [{ channelId: '301', description: 'Say hello', emojiId: null, emojiName: '👋' }],
  },
  events: [
    newEvent({ id: '701', startsAt: future, endsAt: '2100-01-01T12:00:00.000Z', imageHash: 'ee' }),
    newEvent({ id: '702', startsAt: future, venue: 'voice', channelId: '303', location: null }),
  ],
  soundboard: [{ id: '801', name: 'horn', volume: 0.5, emojiId: null, emojiName: '📯' }],
  webhooks: [
    {
      ...{ id: '901', kind: 'incoming', name: 'News', channelId: '301' },
      ...{ avatarHash: 'aa', source: null },
    },
  ],
  inviteCodes: [],
});

/** A small community with something of every part. */
export const wholeCommunity = (): TestGuild & { parts: LiveParts } => {
  const guild = smallGuild();
  return {
    ...guild,
    settings: {
      ...guild.settings,
      features: ['COMMUNITY', 'ROLE_ICONS', 'WELCOME_SCREEN_ENABLED'],
      verificationLevel: 1,
      explicitContentFilter: 2,
      rulesChannelId: '301',
      publicUpdatesChannelId: '302',
    },
    roles: guild.roles.map((role) => (role.id === '202' ? { ...role, iconHash: 'cc' } : role)),
    channels: [...guild.channels, newChannel({ id: '303', kind: 'voice', name: 'Deck' })],
    parts: parts(),
  };
};

/** What a backup of it holds. */
export const snapshotWithParts = (guild: TestGuild & { parts: LiveParts }): Snapshot => {
  const { widget, vanityCode, automod, onboarding, welcomeScreen } = guild.parts;
  const { events = [], soundboard = [], webhooks = [] } = guild.parts;
  const base = snapshotOf(guild);
  return {
    ...base,
    settings: base.settings?.map((settings) => ({ ...settings, widget, vanityCode, invites: [] })),
    roles: base.roles?.map((role) => (role.iconHash ? { ...role, icon: stored } : role)),
    automod,
    onboarding: onboarding ? [onboarding] : [],
    welcomeScreen: welcomeScreen ? [welcomeScreen] : [],
    events: events.map((event) => ({ ...event, image: event.imageHash ? stored : null })),
    soundboard: soundboard.map((sound) => ({ ...sound, sound: storedSound })),
    webhooks: webhooks.map((webhook) => ({
      ...webhook,
      avatar: webhook.avatarHash ? stored : null,
    })),
  };
};

/** Another guild with the same bot in it and nothing else. */
export const emptyTarget = (): TestGuild & { parts: LiveParts } => {
  const { roles, ...guild } = smallGuild();
  const idOf = (id: string) => (id === guildId ? '4000' : id);
  return {
    ...guild,
    guildId: '4000',
    roles: roles
      .filter(({ id, isManaged }) => id === guildId || isManaged)
      .map((role) => ({ ...role, id: idOf(role.id) })),
    channels: [newChannel({ id: '4001', kind: 'text', name: 'lobby' })],
    settings: { ...guild.settings, features: ['ROLE_ICONS'] },
    parts: createEmptyParts(),
  };
};
