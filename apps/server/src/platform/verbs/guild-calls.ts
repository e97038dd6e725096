import type { BotClient, Call } from '../bot-client.ts';
import type { CallOptions } from '../port.ts';

/** One bot's calls that concern one guild, each with the options that were given for all. */
export type GuildCalls = {
  guildId: string;
  call<Answer>(call: Omit<Call<Answer>, keyof CallOptions>): Promise<Answer>;
};

export const createGuildCalls = (
  client: BotClient,
  guildId: string,
  options: CallOptions = {},
): GuildCalls => ({
  guildId,
  call: (call) => client.call({ ...call, ...options }),
});
