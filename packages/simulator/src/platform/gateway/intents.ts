/** What a session asks to be told, and which events that covers. */
export const Intent = {
  Guilds: 1 << 0,
  Members: 1 << 1,
  Moderation: 1 << 2,
  Expressions: 1 << 3,
  Integrations: 1 << 4,
  Webhooks: 1 << 5,
  Invites: 1 << 6,
  VoiceStates: 1 << 7,
  Presences: 1 << 8,
  Messages: 1 << 9,
  Reactions: 1 << 10,
  Typing: 1 << 11,
  DirectMessages: 1 << 12,
  DirectReactions: 1 << 13,
  DirectTyping: 1 << 14,
  Content: 1 << 15,
  Events: 1 << 16,
  AutomodRules: 1 << 20,
  AutomodActions: 1 << 21,
  Polls: 1 << 24,
  DirectPolls: 1 << 25,
} as const;

const KNOWN_INTENTS = Object.values(Intent).reduce((all, bit) => all | bit, 0);

export const areKnownIntents = (intents: unknown): intents is number =>
  typeof intents === 'number' && Number.isInteger(intents) && (intents & ~KNOWN_INTENTS) === 0;

/** Any one of the bits suffices. */
const BITS_OF_EVENT = {
  GUILD_CREATE: Intent.Guilds,
  GUILD_UPDATE: Intent.Guilds,
  GUILD_DELETE: Intent.Guilds,
  GUILD_ROLE_CREATE: Intent.Guilds,
  GUILD_ROLE_UPDATE: Intent.Guilds,
  GUILD_ROLE_DELETE: Intent.Guilds,
  CHANNEL_CREATE: Intent.Guilds,
  CHANNEL_UPDATE: Intent.Guilds,
  CHANNEL_DELETE: Intent.Guilds,
  CHANNEL_PINS_UPDATE: Intent.Guilds,
  THREAD_CREATE: Intent.Guilds,
  THREAD_UPDATE: Intent.Guilds,
  THREAD_DELETE: Intent.Guilds,
  THREAD_MEMBERS_UPDATE: Intent.Guilds | Intent.Members,
  GUILD_MEMBER_ADD: Intent.Members,
  GUILD_MEMBER_UPDATE: Intent.Members,
  GUILD_MEMBER_REMOVE: Intent.Members,
  GUILD_AUDIT_LOG_ENTRY_CREATE: Intent.Moderation,
  GUILD_BAN_ADD: Intent.Moderation,
  GUILD_BAN_REMOVE: Intent.Moderation,
  GUILD_EMOJIS_UPDATE: Intent.Expressions,
  GUILD_STICKERS_UPDATE: Intent.Expressions,
  GUILD_SOUNDBOARD_SOUND_CREATE: Intent.Expressions,
  GUILD_SOUNDBOARD_SOUND_UPDATE: Intent.Expressions,
  GUILD_SOUNDBOARD_SOUND_DELETE: Intent.Expressions,
  GUILD_INTEGRATIONS_UPDATE: Intent.Integrations,
  INTEGRATION_CREATE: Intent.Integrations,
  INTEGRATION_UPDATE: Intent.Integrations,
  INTEGRATION_DELETE: Intent.Integrations,
  WEBHOOKS_UPDATE: Intent.Webhooks,
  INVITE_CREATE: Intent.Invites,
  INVITE_DELETE: Intent.Invites,
  PRESENCE_UPDATE: Intent.Presences,
  MESSAGE_CREATE: Intent.Messages,
  MESSAGE_UPDATE: Intent.Messages,
  MESSAGE_DELETE: Intent.Messages,
  MESSAGE_DELETE_BULK: Intent.Messages,
  MESSAGE_REACTION_ADD: Intent.Reactions,
  MESSAGE_REACTION_REMOVE: Intent.Reactions,
  MESSAGE_REACTION_REMOVE_ALL: Intent.Reactions,
  MESSAGE_REACTION_REMOVE_EMOJI: Intent.Reactions,
  GUILD_SCHEDULED_EVENT_CREATE: Intent.Events,
  GUILD_SCHEDULED_EVENT_UPDATE: Intent.Events,
  GUILD_SCHEDULED_EVENT_DELETE: Intent.Events,
  AUTO_MODERATION_RULE_CREATE: Intent.AutomodRules,
  AUTO_MODERATION_RULE_UPDATE: Intent.AutomodRules,
  AUTO_MODERATION_RULE_DELETE: Intent.AutomodRules,
} as const;

export type EventName = keyof typeof BITS_OF_EVENT;

export const coversEvent = (intents: number, name: EventName): boolean =>
  (intents & BITS_OF_EVENT[name]) !== 0;
