import { z } from 'zod';
import type { IdentityStore } from '../identity/identities.ts';
import { privilegedIntentsOf } from '../identity/intents.ts';
import { avatarField } from '../identity/users.ts';
import { tokenPairBody } from '../oauth/routes.ts';
import { allScopes } from '../oauth/scopes.ts';
import type { PlatformApp, PlatformContext, PlatformUser } from '../platform.ts';
import { parseSnowflake, snowflake } from '../snowflakes.ts';
import { withBody } from './guard.ts';

const userChanges = z.strictObject({
  username: z.string().min(1).max(100).optional(),
  globalName: z.string().max(100).nullable().optional(),
  avatar: avatarField.optional(),
  email: z.email().optional(),
  verified: z.boolean().optional(),
  guildIds: z.array(snowflake).optional(),
  tokenState: z.enum(['valid', 'expired', 'revoked']).optional(),
  atGuildCap: z.boolean().optional(),
  unknown: z.boolean().optional(),
});

const tenYearsMs = 10 * 365 * 86_400_000;
const oauthSettings = z.strictObject({ tokenLifeMs: z.int().min(0).max(tenYearsMs) });

const consent = z.strictObject({
  clientId: snowflake,
  scopes: z.array(z.enum(allScopes)).min(1),
});

/** One user, answered with a pair, or many, answered with a list of pairs in the same order. */
const tokenRequest = z.union([
  consent.extend({ userId: snowflake }),
  consent.extend({ userIds: z.array(snowflake).min(1).max(5000) }),
]);

const botChanges = z.strictObject({
  intents: z
    .union([z.array(z.string()), z.int().min(0)])
    .transform(privilegedIntentsOf)
    .optional(),
  isOwnerMfaEnabled: z.boolean().optional(),
  isDead: z.boolean().optional(),
  name: z.string().min(1).max(100).optional(),
  clientSecret: z.string().min(1).max(200).optional(),
  botToken: z.string().min(1).max(200).optional(),
  redirectUris: z.array(z.url()).optional(),
});

/** What follows outside of the identities. */
type Effects = {
  setGuildsOfUser: (c: PlatformContext, userId: string, guildIds: string[]) => void;
  /** A name or picture changed. */
  tellOfUser: (c: PlatformContext, userId: string) => void;
  /** A token that is dead or was replaced ends what was begun with it. */
  endRefusedSessions: (botId: string) => void;
};

/** Part of the control API: users, applications and their credentials. */
export const mountIdentityControl = (
  app: PlatformApp,
  identities: IdentityStore,
  { setGuildsOfUser, tellOfUser, endRefusedSessions }: Effects,
): void => {
  app.put('/__sim/users/:id', (c) =>
    withId(c, userChanges, (id, changes) => {
      const before = identities.findUser(id);
      const user = identities.putUser(id, toUserFields(changes));
      if (changes.guildIds !== undefined) setGuildsOfUser(c, id, changes.guildIds);
      if (before && looksOther(before, user)) tellOfUser(c, id);
      return describeUser(user);
    }),
  );
  app.put('/__sim/bots/:id', (c) =>
    withId(c, botChanges, (id, changes) => {
      const { name, isDead, intents, isOwnerMfaEnabled } = identities.putApplication(id, changes);
      endRefusedSessions(id);
      if (changes.name) tellOfUser(c, id);
      return { id, name, isDead, intents, isOwnerMfaEnabled };
    }),
  );
  app.put(
    '/__sim/oauth',
    withBody(oauthSettings, (settings, c) => {
      identities.tokens.setLife(settings.tokenLifeMs);
      return c.json(settings);
    }),
  );
  app.post(
    '/__sim/tokens',
    withBody(tokenRequest, ({ clientId, scopes, ...owner }, c) => {
      const pairOf = (userId: string) =>
        // Not renewed: the pair has the state that was set for the user.
        tokenPairBody(identities.tokens.issue({ applicationId: clientId, userId, scopes }, false));
      return c.json('userIds' in owner ? owner.userIds.map(pairOf) : pairOf(owner.userId));
    }),
  );
};

const withId = async <Schema extends z.ZodType>(
  c: PlatformContext,
  schema: Schema,
  handle: (id: string, body: z.output<Schema>) => object,
) => {
  const id = parseSnowflake(c.req.param('id') ?? '');
  if (id === undefined) return c.json({ message: 'The id is not a snowflake.' }, 400);
  return withBody(schema, (body) => c.json(handle(id, body)))(c);
};

const toUserFields = (changes: z.output<typeof userChanges>): Partial<PlatformUser> => {
  const { guildIds: _, unknown, ...fields } = changes;
  // A generated display name would hide the username that was set.
  const names = fields.username === undefined ? {} : { globalName: null };
  const state = unknown === undefined ? {} : { isUnknown: unknown };
  return { ...names, ...fields, ...state };
};

const looksOther = (before: PlatformUser, after: PlatformUser): boolean =>
  (['username', 'globalName', 'avatar'] as const).some((field) => before[field] !== after[field]);

const describeUser = ({ isUnknown, isBot: _, ...user }: PlatformUser) => ({
  ...user,
  unknown: isUnknown,
});
