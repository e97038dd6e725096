import type { Context, Env, Hono } from 'hono';
import { z } from 'zod';
import type { IdentityStore } from './identities.ts';
import type { PlatformUser } from './identity-types.ts';
import { pairBody } from './oauth.ts';
import { allScopes } from './oauth-scopes.ts';
import { parseSnowflake, snowflake } from './oauth-snowflakes.ts';

export type IdentityControlOptions = {
  /** Told which servers a user is in from now on. */
  onGuildIds?: (userId: string, guildIds: string[]) => void;
};

const userChanges = z.strictObject({
  username: z.string().min(1).max(100).optional(),
  globalName: z.string().max(100).nullable().optional(),
  avatar: z
    .string()
    .regex(/^(a_)?[0-9a-f]{32}$/)
    .nullable()
    .optional(),
  guildIds: z.array(snowflake).optional(),
  tokenState: z.enum(['valid', 'expired', 'revoked']).optional(),
  atGuildCap: z.boolean().optional(),
  unknown: z.boolean().optional(),
});

const oauthSettings = z.strictObject({
  tokenLifeMs: z
    .int()
    .min(0)
    .max(10 * 365 * 86_400_000),
});

const agreement = z.strictObject({
  clientId: snowflake,
  scopes: z.array(z.enum(allScopes)).min(1),
});

/** One user, answered with a pair, or many, answered with a list of pairs in the same order. */
const tokenRequest = z.union([
  agreement.extend({ userId: snowflake }),
  agreement.extend({ userIds: z.array(snowflake).min(1).max(5000) }),
]);

const botChanges = z.strictObject({
  isDead: z.boolean().optional(),
  name: z.string().min(1).max(100).optional(),
  clientSecret: z.string().min(1).max(200).optional(),
  botToken: z.string().min(1).max(200).optional(),
  redirectUris: z.array(z.url()).optional(),
});

/** Test control over users, applications and their credentials; on the control port only. */
export const mountIdentityControl = <E extends Env>(
  app: Hono<E>,
  identities: IdentityStore,
  { onGuildIds }: IdentityControlOptions = {},
): void => {
  app.put('/__sim/users/:id', (c) =>
    answerFor(c, userChanges, (id, changes) => {
      const user = identities.putUser(id, changedFields(changes));
      if (changes.guildIds !== undefined) onGuildIds?.(id, changes.guildIds);
      return describeUser(user);
    }),
  );
  app.put('/__sim/bots/:id', (c) =>
    answerFor(c, botChanges, (id, changes) => {
      const { name, isDead } = identities.putApplication(id, changes);
      return { id, name, isDead };
    }),
  );
  app.put('/__sim/oauth', (c) =>
    answer(c, oauthSettings, (settings) => {
      identities.tokens.setLife(settings.tokenLifeMs);
      return settings;
    }),
  );
  app.post('/__sim/tokens', (c) =>
    answer(c, tokenRequest, ({ clientId, scopes, ...whose }) => {
      const pairOf = (userId: string) =>
        // Not fresh: the pair is born into the state that was declared for the user.
        pairBody(identities.tokens.issue({ applicationId: clientId, userId, scopes }, false));
      return 'userIds' in whose ? whose.userIds.map(pairOf) : pairOf(whose.userId);
    }),
  );
};

const answerFor = async <Schema extends z.ZodType>(
  c: Context,
  schema: Schema,
  handle: (id: string, body: z.output<Schema>) => object,
) => {
  const id = parseSnowflake(c.req.param('id') ?? '');
  if (id === undefined) return c.json({ error: 'The id is not a snowflake.' }, 400);
  return answer(c, schema, (body) => handle(id, body));
};

const answer = async <Schema extends z.ZodType>(
  c: Context,
  schema: Schema,
  handle: (body: z.output<Schema>) => object,
) => {
  const body = schema.safeParse(await c.req.json().catch(() => undefined));
  if (!body.success) return c.json({ error: z.prettifyError(body.error) }, 400);
  return c.json(handle(body.data));
};

const changedFields = (changes: z.output<typeof userChanges>): Partial<PlatformUser> => {
  const { guildIds: _, unknown, ...fields } = changes;
  // A display name that was made up would hide the username somebody has chosen.
  const names = fields.username === undefined ? {} : { globalName: null };
  const state = unknown === undefined ? {} : { isUnknown: unknown };
  return { ...names, ...fields, ...state };
};

const describeUser = ({ isUnknown, isBot: _, ...user }: PlatformUser) => ({
  ...user,
  unknown: isUnknown,
});
