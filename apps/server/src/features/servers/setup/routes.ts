import type { AuditAction, DashboardEndpoints } from '@holdfast/contract';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import type { Actor, Handlers } from '../../../http/handler.ts';
import type { Picture } from '../../../http/pages/placeholders.ts';
import { conflict, notFound } from '../../../kernel/errors.ts';
import { recordAudits } from '../../audit/queries.ts';
import { findBotToSetUp } from '../../bots/queries.ts';
import { requireGuildsLeft } from '../../bots/refused-guilds/ask-once.ts';
import type { BotDependencies, BotOwner } from '../../bots/use/use-bot.ts';
import type { ReadGuildView } from '../guild/guild-view.ts';
import { createLogChannelMaker, createRoleMaker, type MakeInGuild } from './make-in-guild.ts';
import { listOwnGuilds } from './own-guilds.ts';

type Dependencies = BotDependencies & { picture: Picture; readGuildView: ReadGuildView };

type SetupEndpoints = Pick<
  DashboardEndpoints,
  'listBotGuilds' | 'getBotGuild' | 'makeVerifiedRole' | 'makeLogChannel'
>;

/** A guild before it is a server: to choose it, and the role and the channel in it. */
export const serverSetupHandlers = (dependencies: Dependencies): Handlers<SetupEndpoints> => {
  return {
    async listBotGuilds(db, { account: { accountId }, params: { id: botId } }) {
      const owner = { botId, accountId };
      if (!(await hasBot(db, owner))) throw notFound('Bot');
      return listOwnGuilds(dependencies, owner);
    },

    async getBotGuild(db, { account: { accountId }, actor, caller, params }) {
      const { id: botId, guildId } = params;
      const owner = { botId, accountId, callerId: caller.id };
      if (!(await hasBot(db, owner))) throw notFound('Bot');
      await requireGuildsLeft(db, { ...owner, actor });
      const view = await dependencies.readGuildView(owner, guildId);
      if ('failure' in view) throw conflict(view.failure);
      return view;
    },

    makeVerifiedRole: {
      askFirst: askToMake(createRoleMaker(dependencies), 'bot.make_role'),
    },

    makeLogChannel: {
      askFirst: askToMake(createLogChannelMaker(dependencies), 'bot.make_channel'),
    },
  };
};

type MakeRequest = {
  account: { accountId: string };
  actor: Actor;
  caller: { id: string };
  params: { id: string; guildId: string };
};

const askToMake =
  (make: MakeInGuild, action: AuditAction) =>
  async (db: Queryable, { account: { accountId }, actor, caller, params }: MakeRequest) => {
    const { id: botId, guildId } = params;
    const owner = { botId, accountId, callerId: caller.id };
    await requireGuildsLeft(db, { ...owner, actor });
    const outcome = await makeThrough(db, owner, make, guildId);
    return async (tx: Transaction) => {
      const { isNew, ...made } = madeOf(outcome);
      const subject = { type: 'bot' as const, id: botId };
      const changes = { guildId, ...made };
      const entry = { accountId, actor, action, subject, changes };
      // What was made before has its entry.
      await recordAudits(tx, isNew ? [entry] : []);
      return made;
    };
  };

const hasBot = async (db: Queryable, { botId, accountId }: BotOwner): Promise<boolean> =>
  (await findBotToSetUp(db, botId, accountId)) !== undefined;

type Outcome = Awaited<ReturnType<MakeInGuild>> | undefined;

/** Undefined where the account has no such bot. */
const makeThrough = async (
  db: Queryable,
  owner: BotOwner,
  make: MakeInGuild,
  guildId: string,
): Promise<Outcome> => ((await hasBot(db, owner)) ? make(owner, guildId) : undefined);

const madeOf = (made: Outcome) => {
  if (!made) throw notFound('Bot');
  if ('failure' in made) throw conflict(made.failure);
  return made;
};
