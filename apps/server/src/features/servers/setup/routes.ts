import type { DashboardEndpoints } from '@holdfast/contract';
import type { Queryable } from '../../../db/connect.ts';
import type { Handlers } from '../../../http/handler.ts';
import type { Picture } from '../../../http/pages/placeholders.ts';
import { conflict, notFound } from '../../../kernel/errors.ts';
import { findBotToSetUp } from '../../bots/queries.ts';
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
  const makeRole = createRoleMaker(dependencies);
  const makeChannel = createLogChannelMaker(dependencies);
  return {
    async listBotGuilds(db, { account: { accountId }, params: { id: botId } }) {
      const owner = { botId, accountId };
      if (!(await hasBot(db, owner))) throw notFound('Bot');
      return listOwnGuilds(dependencies, owner);
    },

    async getBotGuild(db, { account: { accountId }, params: { id: botId, guildId } }) {
      const owner = { botId, accountId };
      if (!(await hasBot(db, owner))) throw notFound('Bot');
      const view = await dependencies.readGuildView(owner, guildId);
      if ('failure' in view) throw conflict(view.failure);
      return view;
    },

    makeVerifiedRole: {
      async askFirst(db, { account: { accountId }, params: { id: botId, guildId } }) {
        const made = await makeThrough(db, { botId, accountId }, makeRole, guildId);
        return async () => madeOf(made);
      },
    },

    makeLogChannel: {
      async askFirst(db, { account: { accountId }, params: { id: botId, guildId } }) {
        const made = await makeThrough(db, { botId, accountId }, makeChannel, guildId);
        return async () => madeOf(made);
      },
    },
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
