import type { GuildEvent } from '../../../platform/gateway/events.ts';

type Heard = { event: GuildEvent; at: number };
/** By what they are about, in the order in which they were heard. */
type Facts = Map<string, Heard>;
type InGuild = { botId: string; guildId: string };

/** Far longer than it takes to store what was heard. */
const keptMs = 60_000;
const mostGuilds = 10_000;
/** More than a guild can have of roles and bots. */
const mostOfGuild = 1000;

/** What the event is about, where a later one about the same says all that it says. */
const subjectOf = (event: GuildEvent): string | undefined => {
  switch (event.kind) {
    case 'guildAvailable':
    case 'guildChanged':
      return event.kind;
    case 'roleCreated':
    case 'roleChanged':
      return `role ${event.role.id}`;
    case 'roleDeleted':
      return `role ${event.roleId}`;
    // Of members only bots, among which is our own.
    case 'memberChanged':
      return event.isBot ? `bot ${event.userId}` : undefined;
    default:
      return undefined;
  }
};

/**
 * What was told of guilds a moment ago, whether anybody watches them or not. Events are heard before they
 * are stored, so a row that is loaded may be older than what was heard before.
 */
export const createHeardFacts = (now: () => number = () => performance.now()) => {
  const guildsOfBots = new Map<string, Map<string, Facts>>();
  let count = 0;

  const forgetGuild = ({ botId, guildId }: InGuild) => {
    const guilds = guildsOfBots.get(botId);
    if (guilds?.delete(guildId)) count--;
    if (guilds?.size === 0) guildsOfBots.delete(botId);
  };
  const forgetOldest = () => {
    for (const [botId, guilds] of guildsOfBots) {
      for (const guildId of guilds.keys()) return forgetGuild({ botId, guildId });
    }
  };
  const factsOf = ({ botId, guildId }: InGuild): Facts => {
    const known = guildsOfBots.get(botId)?.get(guildId);
    if (known) return known;
    if (count >= mostGuilds) forgetOldest();
    const facts: Facts = new Map();
    const guilds = guildsOfBots.get(botId) ?? new Map<string, Facts>();
    guildsOfBots.set(botId, guilds.set(guildId, facts));
    count++;
    return facts;
  };
  const isOld = ({ at }: Heard) => now() - at > keptMs;

  return {
    hear(inGuild: InGuild, event: GuildEvent): void {
      const subject = subjectOf(event);
      if (subject === undefined) return;
      const facts = factsOf(inGuild);
      facts.delete(subject);
      const [oldest] = facts.keys();
      if (facts.size >= mostOfGuild && oldest !== undefined) facts.delete(oldest);
      facts.set(subject, { event: withoutChannels(event), at: now() });
    },
    /** Whatever of a guild is perhaps not stored yet, oldest first. */
    of: ({ botId, guildId }: InGuild): GuildEvent[] =>
      [...(guildsOfBots.get(botId)?.get(guildId)?.values() ?? [])]
        .filter((heard) => !isOld(heard))
        .map(({ event }) => event),
    forgetGuild,
    /** Another process may have heard what came after it. What is not stored is heard again. */
    forgetBot(botId: string): void {
      count -= guildsOfBots.get(botId)?.size ?? 0;
      guildsOfBots.delete(botId);
    },
    forgetOld(): void {
      for (const [botId, guilds] of guildsOfBots) {
        for (const [guildId, facts] of guilds) {
          for (const [subject, heard] of facts) if (isOld(heard)) facts.delete(subject);
          if (facts.size === 0) forgetGuild({ botId, guildId });
        }
      }
    },
    /** How many guilds something is remembered of. */
    count: () => count,
  };
};

/** Thousands of guilds are told at a start, and nobody asks for their channels here. */
const withoutChannels = (event: GuildEvent): GuildEvent =>
  event.kind === 'guildAvailable' ? { ...event, channelIds: [] } : event;
