import { z } from 'zod';
import type { BotClient } from './bot-client.ts';
import { path } from './path.ts';
import type { BotPlatform, CallOptions, GuildPlatform } from './port.ts';
import { guild } from './shapes/guild.ts';
import { user } from './shapes/user.ts';
import { guildOf, settingsBodyOf } from './translate/guild.ts';
import { profileOf } from './translate/people.ts';
import { createChannelVerbs, createMessageVerbs } from './verbs/channels.ts';
import { createEmojiVerbs, createStickerVerbs } from './verbs/expressions.ts';
import { createGuildCalls, type GuildCalls } from './verbs/guild-calls.ts';
import { createBanVerbs, createMemberVerbs } from './verbs/people.ts';
import { createRoleVerbs } from './verbs/roles.ts';

export const createBotPlatform = (client: BotClient): BotPlatform => ({
  async readBot(options) {
    const where = path`users/@me`;
    return profileOf(await client.call({ method: 'GET', path: where, answer: user, ...options }));
  },
  guild: (guildId, options) => createGuildPlatform(client, guildId, options),
});

const createGuildPlatform = (
  client: BotClient,
  guildId: string,
  options?: CallOptions,
): GuildPlatform => {
  const calls = createGuildCalls(client, guildId, options);
  return {
    ...createSettingsVerbs(calls),
    ...createRoleVerbs(calls),
    ...createChannelVerbs(calls),
    ...createMessageVerbs(calls),
    ...createEmojiVerbs(calls),
    ...createStickerVerbs(calls),
    ...createBanVerbs(calls),
    ...createMemberVerbs(calls),
  };
};

const createSettingsVerbs = ({
  guildId,
  call,
}: GuildCalls): Pick<GuildPlatform, 'read' | 'editSettings'> => ({
  /** Roles, emoji and stickers come with the guild: one call instead of four. */
  async read() {
    const found = await call({
      method: 'GET',
      path: path`guilds/${guildId}`,
      query: { with_counts: 'true' },
      answer: guild,
    });
    return guildOf(found);
  },
  async editSettings(changes) {
    await call({
      method: 'PATCH',
      path: path`guilds/${guildId}`,
      body: settingsBodyOf(changes),
      answer: z.unknown(),
    });
  },
});
