import type { Database, Queryable, Transaction } from '../../../db/connect.ts';
import { violatedConstraint } from '../../../db/failures.ts';
import type { Actor } from '../../../http/handler.ts';
import { once } from '../../../kernel/concurrency.ts';
import { HttpError } from '../../../kernel/errors.ts';
import { PlatformFailure } from '../../../platform/failures.ts';
import type { GuildEvent } from '../../../platform/gateway/events.ts';
import type { BotPlatform } from '../../../platform/port.ts';
import {
  countRefusedGuilds,
  findRefusedGuild,
  forgetRefusedGuilds,
  storeRefusedGuild,
} from './queries.ts';

/** What the platform said a moment ago: by now the bot may be in the guild. */
export class RememberedRefusal extends PlatformFailure {}

/** `callerId` is the key or session whose request names the guild. */
type Asking = { accountId: string; botId: string; callerId?: string | undefined };

/**
 * The bot, but a guild that was just refused to it is not asked for again for a while, whoever asks: each
 * question would be one more refusal of those that the platform tolerates. That the bot came into the guild
 * ends this at once. What is urgent asks all the same.
 */
export const askingOnce = (db: Database, owner: Asking, bot: BotPlatform): BotPlatform => {
  const asking: BotPlatform = {
    ...bot,
    guild(guildId, options) {
      if (options?.isUrgent) return bot.guild(guildId, options);
      const before = once(() => requireNotRefused(db, owner, guildId));
      const guild = bot.guild(guildId, { ...options, before });
      return {
        ...guild,
        async read() {
          await before();
          return guild.read().catch(async (error: unknown) => {
            await noteRefusal(db, owner, guildId, error);
            throw error;
          });
        },
      };
    },
    async readGuilds(options) {
      const guilds = await bot.readGuilds(options);
      const ids = guilds.map(({ id }) => id);
      await forgetRefusedGuilds(db, owner, ids);
      return guilds;
    },
  };
  clients.set(asking, bot);
  return asking;
};

const clients = new WeakMap<BotPlatform, BotPlatform>();

/** What all who use a bot in this process share, whoever asks by it. */
export const clientOf = (bot: BotPlatform): BotPlatform => clients.get(bot) ?? bot;

const requireNotRefused = async (db: Database, owner: Asking, guildId: string): Promise<void> => {
  const refused = await findRefusedGuild(db, owner, guildId);
  if (refused) throw new RememberedRefusal(refused.kind);
};

const noteRefusal = async (
  db: Database,
  { accountId, botId, callerId }: Asking,
  guildId: string,
  error: unknown,
): Promise<void> => {
  if (!(error instanceof PlatformFailure)) return;
  const { kind } = error;
  if (kind !== 'noAccess' && kind !== 'unknownGuild') return;
  const refused = { accountId, botId, guildId, kind, callerId: callerId ?? null };
  await storeRefusedGuild(db, refused).catch((failure) => {
    // The bot was deleted meanwhile.
    if (!violatedConstraint(failure)) throw failure;
  });
};

/** More than an honest mistake takes, far less than an account's share of refusals. */
const maxOfCaller = 20;
const maxOfAccount = 60;

/**
 * Before a request names a guild that nobody has named before. What an account's keys have used up does
 * not keep a person out: the key that does it may not be theirs.
 */
export const requireGuildsLeft = async (
  db: Queryable,
  caller: { accountId: string; callerId: string; actor: Actor },
): Promise<void> => {
  const { ofAccount, ofCaller, secondsLeft } = await countRefusedGuilds(db, caller);
  const isPerson = caller.actor.type === 'USER';
  if (ofCaller < maxOfCaller && (isPerson || ofAccount < maxOfAccount)) return;
  throw new HttpError(
    429,
    `The platform refused too many of the servers that you named: try again in ${secondsLeft} s`,
    {},
    { 'Retry-After': String(secondsLeft) },
  );
};

/** The bot is in these guilds now. */
export const followGuildsOfBot = async (
  tx: Transaction,
  bot: { accountId: string; botId: string },
  events: readonly GuildEvent[],
): Promise<void> => {
  const ids = events.flatMap((event) => (event.kind === 'guildAvailable' ? event.guildId : []));
  await forgetRefusedGuilds(tx, bot, ids);
};
