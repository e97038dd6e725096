import type { SQL } from 'bun';

export type BotRow = {
  id: string;
  accountId: string;
  clientId: string;
  guildId: string;
  serverId: string;
  botToken: string;
  clientSecret: string;
  sealKeyId: string;
};

const rowsAtATime = 500;

/** All at once: the gateway finds none of them before it can find all. */
export const insertBots = (sql: SQL, bots: readonly BotRow[]): Promise<void> =>
  sql.begin(async (tx) => {
    for (let from = 0; from < bots.length; from += rowsAtATime) {
      const some = bots.slice(from, from + rowsAtATime);
      const botRows = some.map((bot) => ({
        ...{ id: bot.id, account_id: bot.accountId, client_id: bot.clientId, name: 'Bot' },
        ...{ public_key: 'ab12', redirect_uri: 'https://example.test/callback' },
        ...{ bot_token: bot.botToken, client_secret: bot.clientSecret },
        ...{ seal_key_id: bot.sealKeyId },
      }));
      const serverRows = some.map((bot) => ({
        ...{ id: bot.serverId, account_id: bot.accountId, custom_bot_id: bot.id },
        ...{ platform_guild_id: bot.guildId, name: 'Community' },
      }));
      await tx`insert into bots ${tx(botRows)}`;
      await tx`insert into servers ${tx(serverRows)}`;
    }
  });

/** Of one account: the demo account has a bot too. */
export const countConnected = async (sql: SQL, accountId: string): Promise<number> => {
  const [row] = await sql`
    select count(*)::int as bots from bots
    where account_id = ${accountId} and connected_at is not null`;
  return row.bots;
};
