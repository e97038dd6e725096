import { createSemaphore } from '../../../kernel/concurrency.ts';
import type { GuildEvent } from '../../../platform/gateway/events.ts';
import type { ProtectionMetrics } from '../contain/metrics.ts';
import { listProtectedOfBot } from '../queries/watched.ts';
import { type GuildWatch, type GuildWatchDependencies, watchGuild } from './guild-watch.ts';
import { createHeardFacts } from './heard-facts.ts';

type Bot = { botId: string; accountId: string };

type FastPathDependencies = Omit<
  GuildWatchDependencies,
  'turnsOf' | 'prepareInTurn' | 'onWork' | 'heardOf'
> & { protectionMetrics: ProtectionMetrics };

const sweepMs = 60_000;
/** Longer than any window is judged by, nothing is remembered. */
const forgetAfterMs = 60 * 60 * 1000;
/** Beyond this, new guilds are left to the stored events until others are forgotten. */
const mostGuilds = 20_000;
/** Of one bot's guilds so many people are looked at, and so many stopped, whatever others need. */
const atOnceOfBot = { look: 8, stop: 64 };
/** After a start thousands of guilds are read ahead, beside all that has to be done at once. */
const preparedAtOnce = 4;

/** What changes a guild's roles, its owner, or who has which role. */
const tellsFacts: ReadonlySet<GuildEvent['kind']> = new Set([
  ...(['guildAvailable', 'guildChanged', 'memberJoined', 'memberChanged', 'memberLeft'] as const),
  ...(['roleCreated', 'roleChanged', 'roleDeleted'] as const),
]);

/**
 * Watches the acts in guilds as they arrive, before they are stored, and stops whoever attacks. It is
 * only quicker than `followActs`, which comes to the same verdicts from what is stored: whatever is
 * forgotten, dropped or fails here happens there.
 */
export const createFastPath = (dependencies: FastPathDependencies) => {
  const { protectionMetrics: metrics, db, log } = dependencies;
  const guildsOfBots = new Map<string, Map<string, GuildWatch>>();
  const heard = createHeardFacts();
  let count = 0;
  const work = createWork();

  const known = ({ botId }: Bot, guildId: string) => guildsOfBots.get(botId)?.get(guildId);
  const watchOf = (bot: Bot, guildId: string): GuildWatch | undefined => {
    const watched = known(bot, guildId);
    if (watched || count >= mostGuilds) return watched;
    const watch = watchGuild({ ...dependencies, ...work, heardOf: heard.of }, { ...bot, guildId });
    const guilds = guildsOfBots.get(bot.botId) ?? new Map();
    guildsOfBots.set(bot.botId, guilds.set(guildId, watch));
    count++;
    return watch;
  };
  const drop = (botId: string, guildId: string) => {
    const guilds = guildsOfBots.get(botId);
    if (guilds?.delete(guildId)) count--;
    if (guilds?.size === 0) guildsOfBots.delete(botId);
  };
  const prepareAll = async (bot: Bot): Promise<void> => {
    for (const { guildId } of await listProtectedOfBot(db, bot)) watchOf(bot, guildId)?.prepare();
  };
  const sweeping = setInterval(() => {
    heard.forgetOld();
    for (const [botId, guilds] of guildsOfBots) {
      for (const [guildId, watch] of guilds) {
        if (watch.isIdle(forgetAfterMs)) drop(botId, guildId);
      }
    }
  }, sweepMs);

  return {
    /** A connection is opened: what happened until now was perhaps heard by another process. */
    onConnecting(bot: Bot): void {
      heard.forgetBot(bot.botId);
      for (const watch of guildsOfBots.get(bot.botId)?.values() ?? []) watch.forgetPeople();
      const preparing = prepareAll(bot).catch((err) =>
        log.info({ err, botId: bot.botId }, 'guilds could not be prepared for an attack'),
      );
      work.onWork(preparing);
    },
    onArrival(bot: Bot, events: readonly GuildEvent[]): void {
      for (const event of events) {
        if (event.kind === 'auditEntry') {
          const isHeard = watchOf(bot, event.guildId)?.hear(event);
          if (!isHeard) metrics.countDropped();
        } else if (tellsFacts.has(event.kind) && 'guildId' in event) {
          heard.hear({ ...bot, guildId: event.guildId }, event);
          const watch = known(bot, event.guildId);
          watch?.learn(event);
          if (event.kind === 'guildAvailable') watch?.prepare();
        } else if (event.kind === 'guildGone') {
          drop(bot.botId, event.guildId);
          heard.forgetGuild({ ...bot, guildId: event.guildId });
        }
      }
    },
    /** Ends when nobody is being stopped any more. */
    async stop(): Promise<void> {
      clearInterval(sweeping);
      await work.ended();
      guildsOfBots.clear();
    },
  };
};

/** What is done behind the events, and how much of it at once. */
const createWork = () => {
  const turns = new Map<string, Record<'look' | 'stop', ReturnType<typeof createSemaphore>>>();
  const working = new Set<Promise<void>>();
  return {
    prepareInTurn: createSemaphore(preparedAtOnce),
    turnsOf(botId: string) {
      const known = turns.get(botId);
      const { look, stop } = atOnceOfBot;
      const turn = known ?? { look: createSemaphore(look), stop: createSemaphore(stop) };
      turns.set(botId, turn);
      return turn;
    },
    onWork(work: Promise<void>) {
      working.add(work);
      work.finally(() => working.delete(work));
    },
    ended: () => Promise.allSettled(working),
  };
};
