import { z } from 'zod';
import { sharedWhileUnderWay } from '../../kernel/concurrency.ts';
import { abortable } from '../client/abortable.ts';
import type { BotClient, Call, GuildCalls } from '../client/bot-client.ts';
import { path } from '../client/urls.ts';
import { PlatformFailure } from '../failures.ts';
import type { BotPlatform, CallOptions, GuildPlatform, OwnGuild } from '../port.ts';
import { application } from '../shapes/application.ts';
import { guild } from '../shapes/guild.ts';
import { user } from '../shapes/people.ts';
import { applicationOf, intentsOf } from '../translate/application.ts';
import { guildOf, settingOfField, settingsBodyOf } from '../translate/guild.ts';
import { profileOf } from '../translate/people.ts';
import { createChannelCalls, createMessageCalls } from './channels.ts';
import { createConversationCalls } from './conversation.ts';
import { createEventCalls, createSoundCalls } from './events.ts';
import { createEmojiCalls, createStickerCalls } from './expressions.ts';
import { createInviteCalls } from './invites.ts';
import { createLinkMessageCalls } from './link-messages.ts';
import { createAutomodCalls, createNewcomerCalls } from './newcomers.ts';
import { createBanCalls, createMemberCalls } from './people.ts';
import { createProtectionCalls } from './protection.ts';
import { createRoleCalls } from './roles.ts';
import { createWebhookCalls } from './webhooks.ts';

const gatewayAccess = z.object({
  url: z.string(),
  session_start_limit: z.object({
    total: z.number(),
    remaining: z.number(),
    reset_after: z.number(),
    max_concurrency: z.number().min(1),
  }),
});

const guildPage = z.array(
  z.object({
    id: z.string(),
    name: z.string(),
    icon: z.string().nullish(),
    approximate_member_count: z.number().optional(),
  }),
);
const guildsPerPage = 200;
const beforeAllIds = '1';
/** A bot in more guilds than this has several sessions, which we do not hold. */
const mostGuildPages = 13;

/** The platform's answer about a guild whose widget, which anybody may read, is switched off. */
const widgetDisabled = 50004;

export const createBotPlatform = (client: BotClient): BotPlatform => {
  // Fifty backups of one bot ask at the same moment, and the platform allows few of these calls.
  const readApplication = sharedWhileUnderWay(() =>
    client.call({
      method: 'GET',
      path: path`applications/@me`,
      answer: z.object({ flags: z.number() }),
    }),
  );
  return {
    async readBot(options) {
      const endpoint = path`users/@me`;
      return profileOf(
        await client.call({ method: 'GET', path: endpoint, answer: user, ...options }),
      );
    },
    async readApplication(options) {
      const endpoint = path`applications/@me`;
      return applicationOf(
        await client.call({ method: 'GET', path: endpoint, answer: application, ...options }),
      );
    },
    async readIntents({ signal } = {}) {
      const { flags } = await abortable(signal, readApplication);
      return intentsOf(flags);
    },
    async readGateway(options) {
      const { url, session_start_limit: limit } = await client.call({
        method: 'GET',
        path: path`gateway/bot`,
        answer: gatewayAccess,
        ...options,
      });
      return {
        url,
        identifies: {
          ...{ total: limit.total, remaining: limit.remaining },
          ...{ resetsInMs: limit.reset_after, atOnce: limit.max_concurrency },
        },
      };
    },
    async guildExists(guildId, options) {
      const endpoint = path`guilds/${guildId}/widget.json`;
      try {
        await client.call({ method: 'GET', path: endpoint, answer: z.unknown(), ...options });
        return true;
      } catch (error) {
        if (!(error instanceof PlatformFailure)) throw error;
        if (error.code === widgetDisabled) return true;
        if (error.kind === 'unknownGuild') return false;
        throw error;
      }
    },
    readGuilds: (options) => readGuilds(client, options),
    guild: (guildId, options) => createGuildPlatform(callsOf(client, guildId, options)),
    conversation: (guildId, options) => createConversationCalls(callsOf(client, guildId, options)),
  };
};

const readGuilds = async (client: BotClient, options?: CallOptions): Promise<OwnGuild[]> => {
  const guilds: OwnGuild[] = [];
  for (let page = 0; page < mostGuildPages; page++) {
    const query = {
      with_counts: 'true',
      limit: `${guildsPerPage}`,
      after: guilds.at(-1)?.id ?? beforeAllIds,
    };
    const endpoint = path`users/@me/guilds`;
    const found = await client.call({
      ...{ method: 'GET', path: endpoint, query, answer: guildPage, ...options },
    });
    for (const { id, name, icon = null, approximate_member_count: memberCount = null } of found) {
      guilds.push({ id, name, iconHash: icon, memberCount });
    }
    if (found.length < guildsPerPage) break;
  }
  return guilds;
};

const callsOf = (client: BotClient, guildId: string, options?: CallOptions): GuildCalls => {
  const call = async <Answer>(one: Call<Answer>): Promise<Answer> => {
    await options?.before?.();
    return client.call({ ...one, ...options, guildId, reason: one.reason ?? options?.reason });
  };
  const send: GuildCalls['send'] = async (one) => {
    await call({ ...one, answer: z.unknown() });
  };
  return { guildId, call, send };
};

const createGuildPlatform = (calls: GuildCalls): GuildPlatform => ({
  ...createSettingsCalls(calls),
  ...createRoleCalls(calls),
  ...createChannelCalls(calls),
  ...createMessageCalls(calls),
  ...createLinkMessageCalls(calls),
  ...createEmojiCalls(calls),
  ...createStickerCalls(calls),
  ...createBanCalls(calls),
  ...createMemberCalls(calls),
  ...createInviteCalls(calls),
  ...createProtectionCalls(calls),
  ...createAutomodCalls(calls),
  ...createNewcomerCalls(calls),
  ...createEventCalls(calls),
  ...createSoundCalls(calls),
  ...createWebhookCalls(calls),
});

const createSettingsCalls = ({
  guildId,
  call,
  send,
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
    const endpoint = path`guilds/${guildId}`;
    await send({ method: 'PATCH', path: endpoint, body: settingsBodyOf(changes) }).catch(
      (error: unknown) => {
        throw error instanceof PlatformFailure ? inOurNames(error) : error;
      },
    );
  },
});

const inOurNames = (failure: PlatformFailure): PlatformFailure => {
  const ourNames = new Map<string, string>(Object.entries(settingOfField));
  const fields = failure.fields.flatMap((field) => ourNames.get(field) ?? []);
  return new PlatformFailure(failure.kind, { ...failure, fields });
};
