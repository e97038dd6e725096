import type {
  APIUser,
  RESTAPIPartialCurrentUserGuild,
  RESTGetAPIOAuth2CurrentAuthorizationResult,
} from 'discord-api-types/v10';
import type { Context } from 'hono';
import { z } from 'zod';
import { invalidField, unauthorized, unknownUser } from '../http/api-error.ts';
import { parseForm } from '../http/read-body.ts';
import { allScopes } from '../oauth/scopes.ts';
import type { ParsedToken } from '../oauth/tokens.ts';
import type { Application, PlatformApp, PlatformUser } from '../platform.ts';
import { compareSnowflakes, parseSnowflake, sha256Hex, snowflake } from '../snowflakes.ts';
import { botUserOf, type IdentityStore } from './identities.ts';
import { flagsOfIntents } from './intents.ts';
import { ownerId } from './users.ts';

export type CurrentUserGuild = RESTAPIPartialCurrentUserGuild;

/** The guilds of a user or bot, with counts. */
export type GuildsOf = (userId: string) => CurrentUserGuild[];

/** The current user and application, and users by id. Paths are relative to the API's root. */
export const mountUserRoutes = (
  app: PlatformApp,
  identities: IdentityStore,
  guildsOf: GuildsOf,
): void => {
  app.get('/users/@me', (c) => c.json(describeSelf(c, identities)));
  app.get('/users/@me/guilds', (c) => {
    const userId = bearerOf(c, identities, 'guilds')?.userId ?? requireBot(c, identities).id;
    return c.json(pageOfGuilds(guildsOf(userId), c.req.query()));
  });
  app.get('/users/:user', (c) => {
    requireBot(c, identities);
    return c.json(userBody(requireUser(identities, c.req.param('user'))));
  });
  app.get('/oauth2/@me', (c) => c.json(describeAuthorization(c, identities)));
  for (const path of ['/applications/@me', '/oauth2/applications/@me']) {
    app.get(path, (c) => {
      const bot = requireBot(c, identities);
      return c.json(privateApplicationBody(identities, bot, guildsOf(bot.id).length));
    });
  }
};

/** A user as others see it. */
export const userBody = (user: PlatformUser) => ({
  id: user.id,
  username: user.username,
  avatar: user.avatar,
  // Only bots still have a discriminator.
  discriminator: user.isBot ? user.id.slice(-4).padStart(4, '0') : '0',
  public_flags: 0,
  flags: 0,
  ...(user.isBot && { bot: true }),
  banner: null,
  accent_color: null,
  global_name: user.globalName,
  avatar_decoration_data: null,
  collectibles: null,
  primary_guild: null,
});

/** The bearer token of the request, if it is valid and has the scope. */
const bearerOf = (
  c: Context,
  identities: IdentityStore,
  scope: string,
): ParsedToken | undefined => {
  const token = tokenOf(c, identities);
  return token?.scopes.includes(scope) ? token : undefined;
};

const tokenOf = (c: Context, { tokens }: IdentityStore): ParsedToken | undefined => {
  const text = /^Bearer (\S+)$/.exec(c.req.header('authorization') ?? '')?.[1];
  const token = text === undefined ? undefined : tokens.find(text);
  return token !== undefined && tokens.isUsable(token) ? token : undefined;
};

const requireBot = (c: Context, identities: IdentityStore): Application => {
  const bot = identities.botOf(c.req.header('authorization'));
  if (bot === undefined) throw unauthorized();
  return bot;
};

const requireUser = (identities: IdentityStore, text: string): PlatformUser => {
  const id = parseSnowflake(text);
  if (id === undefined) {
    throw invalidField(['user_id'], 'NUMBER_TYPE_COERCE', `Value "${text}" is not snowflake.`);
  }
  const user = identities.findUser(id);
  if (user === undefined || user.isUnknown) throw unknownUser();
  return user;
};

const describeSelf = (c: Context, identities: IdentityStore) => {
  const token = bearerOf(c, identities, 'identify');
  if (token !== undefined) return describePerson(identities, token);
  const bot = requireBot(c, identities);
  const user = identities.findUser(bot.id) ?? botUserOf(bot);
  return { ...selfBody(user), email: null, verified: true };
};

const describePerson = (identities: IdentityStore, token: ParsedToken) => {
  const user = identities.findUser(token.userId);
  // A token may outlive its user's account.
  if (user === undefined || user.isUnknown) throw unauthorized();
  const hasEmail = token.scopes.includes('email');
  return {
    ...selfBody(user),
    ...(hasEmail && { email: user.email, verified: user.verified }),
  };
};

const selfBody = (user: PlatformUser) =>
  ({ ...userBody(user), mfa_enabled: false, locale: 'en-US', premium_type: 0 }) satisfies APIUser;

const guildsQuery = z.object({
  before: snowflake.optional(),
  after: snowflake.optional(),
  limit: z.coerce.number().int().min(1).max(200).default(200),
  with_counts: z.enum(['true', 'false', '1', '0']).optional(),
});

const pageOfGuilds = (
  guilds: CurrentUserGuild[],
  query: Record<string, string>,
): CurrentUserGuild[] => {
  const { before, after, limit, with_counts } = parseForm(guildsQuery, query);
  const within = guilds
    .filter(({ id }) => before === undefined || compareSnowflakes(id, before) < 0)
    .filter(({ id }) => after === undefined || compareSnowflakes(id, after) > 0)
    .sort((a, b) => compareSnowflakes(a.id, b.id));
  // With `before` alone the page is the one that ends there.
  const isBackwards = before !== undefined && after === undefined;
  const page = isBackwards ? within.slice(-limit) : within.slice(0, limit);
  return with_counts === 'true' || with_counts === '1' ? page : page.map(withoutCounts);
};

const withoutCounts = ({
  approximate_member_count: _members,
  approximate_presence_count: _presences,
  ...guild
}: CurrentUserGuild): CurrentUserGuild => guild;

const describeAuthorization = (c: Context, identities: IdentityStore) => {
  const token = tokenOf(c, identities);
  const application = token && identities.findApplication(token.applicationId);
  if (token === undefined || application === undefined) throw unauthorized();
  const user = token.scopes.includes('identify') ? identities.findUser(token.userId) : undefined;
  return {
    application: applicationBody(application),
    expires: new Date(token.expiresAtMs).toISOString(),
    // The authorize page accepts only scopes of the platform.
    scopes: token.scopes as RESTGetAPIOAuth2CurrentAuthorizationResult['scopes'],
    ...(user && { user: userBody(user) }),
  } satisfies RESTGetAPIOAuth2CurrentAuthorizationResult;
};

const applicationBody = ({ id, name, intents }: Application) => ({
  id,
  name,
  icon: null,
  description: '',
  type: null,
  bot_public: true,
  bot_require_code_grant: false,
  verify_key: sha256Hex(id),
  flags: flagsOfIntents(intents),
  flags_new: String(flagsOfIntents(intents)),
});

const privateApplicationBody = (
  identities: IdentityStore,
  application: Application,
  guildCount: number,
) => {
  const owner = identities.findUser(ownerId);
  return {
    ...applicationBody(application),
    bot: userBody(identities.findUser(application.id) ?? botUserOf(application)),
    redirect_uris: application.redirectUris ?? [],
    interactions_endpoint_url: null,
    role_connections_verification_url: null,
    ...(owner && { owner: userBody(owner) }),
    approximate_guild_count: guildCount,
    approximate_user_install_count: 0,
    approximate_user_authorization_count: 0,
    explicit_content_filter: 0,
    team: null,
    eligible_oauth2_scopes: allScopes,
  };
};
