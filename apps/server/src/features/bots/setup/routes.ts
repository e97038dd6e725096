import type { DashboardEndpoints } from '@holdfast/contract';
import type { Handlers } from '../../../http/handler.ts';
import type { Picture } from '../../../http/pages/placeholders.ts';
import { notFound } from '../../../kernel/errors.ts';
import { PlatformFailure } from '../../../platform/failures.ts';
import type { Application, Platform } from '../../../platform/port.ts';
import { findBotToSetUp } from '../queries.ts';
import { describeIntents, isPublicKeyUsable } from '../rules.ts';
import { type BotDependencies, BotUnusable, useBot } from '../use/use-bot.ts';
import type { CheckSecret, LookUp } from './look-up.ts';
import { describeInvites } from './needed-permissions.ts';
import { redirectUriOf, usualRedirectUri } from './redirect-uri.ts';

type Dependencies = BotDependencies & {
  baseUrl: string;
  picture: Picture;
  lookUp: LookUp;
  checkSecret: CheckSecret;
};

type SetupEndpoints = Pick<
  DashboardEndpoints,
  'getSetup' | 'lookUpBot' | 'getBotSetup' | 'checkBotSecret'
>;

export const setupHandlers = (dependencies: Dependencies): Handlers<SetupEndpoints> => {
  const { platform, baseUrl, picture, lookUp, checkSecret } = dependencies;
  return {
    async getSetup() {
      return { portalUrl: platform.portalUrl(), redirectUri: usualRedirectUri(baseUrl) };
    },

    lookUpBot: {
      async askFirst(_db, { account, body }) {
        const found = await lookUp(account.accountId, body);
        return async () => {
          if ('refusal' in found) throw found.refusal;
          const { application, isSecretGood } = found;
          const { clientId, name, publicKey, avatar } = application;
          const redirectUri = usualRedirectUri(baseUrl);
          const avatarUrl = avatar && platform.imageUrl({ kind: 'userAvatar', ...avatar });
          return {
            ...linksOf(platform, clientId, redirectUri),
            ...{ name, publicKey, isSecretGood, avatar: picture('avatar', avatarUrl) },
            state: stateOf(application, redirectUri),
          };
        };
      },
    },

    async getBotSetup(db, { account: { accountId }, params: { id: botId } }) {
      const bot = await findBotToSetUp(db, botId, accountId);
      if (!bot) throw notFound('Bot');
      const redirectUri = redirectUriOf(bot, baseUrl);
      const asked = await readApplication(dependencies, { botId, accountId });
      return {
        ...linksOf(platform, bot.clientId, redirectUri),
        eventsUrl: `${baseUrl}/platform/events/${botId}`,
        isPublicKeyGood: isOwnKey(bot.publicKey, asked),
        state: 'failure' in asked ? null : stateOf(asked, redirectUri),
        failure: 'failure' in asked ? asked.failure : null,
      };
    },

    checkBotSecret: {
      async askFirst(db, { account: { accountId }, params, body: { clientSecret } }) {
        const bot = await findBotToSetUp(db, params.id, accountId);
        const { clientId } = bot ?? {};
        const checked = clientId && (await checkSecret(accountId, { clientId, clientSecret }));
        return async () => {
          if (!checked) throw notFound('Bot');
          if ('refusal' in checked) throw checked.refusal;
          return checked;
        };
      },
    },
  };
};

const linksOf = (platform: Platform, clientId: string, redirectUri: string) => {
  const page = (of: 'information' | 'oauth2' | 'bot') => platform.portalUrl({ clientId, of });
  return {
    ...{ clientId, redirectUri },
    portal: { general: page('information'), oauth: page('oauth2'), bot: page('bot') },
    invites: describeInvites((bits) => platform.botInviteUrl(clientId, bits)),
  };
};

const stateOf = (application: Application, redirectUri: string) => ({
  isRedirectSet: application.redirectUris.includes(redirectUri),
  intents: describeIntents(application.intents),
  guilds: application.guildCount,
});

/** Where the platform cannot be asked, what looks like a key counts as one. */
const isOwnKey = (publicKey: string, asked: Application | { failure: string }): boolean =>
  'failure' in asked
    ? isPublicKeyUsable(publicKey)
    : publicKey.toLowerCase() === asked.publicKey.toLowerCase();

/** A request waits for the answer. */
const timeoutMs = 3000;

const readApplication = async (
  dependencies: BotDependencies,
  owner: { botId: string; accountId: string },
): Promise<Application | { failure: string }> => {
  const options = { attempts: 1, signal: AbortSignal.timeout(timeoutMs) };
  try {
    return await useBot(dependencies, owner, (bot) => bot.readApplication(options));
  } catch (error) {
    if (error instanceof BotUnusable) return { failure: error.message };
    if (!(error instanceof PlatformFailure)) throw error;
    const isDead = error.kind === 'botTokenDead';
    return {
      failure: isDead
        ? "The platform refuses the bot's token: give the bot a new one"
        : 'The platform gave no answer: try again later',
    };
  }
};
