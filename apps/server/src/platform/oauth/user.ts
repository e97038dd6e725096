import { protectedResourceRequest, WWWAuthenticateChallengeError } from 'oauth4webapi';
import { z } from 'zod';
import type { Secret } from '../../kernel/secret.ts';
import { isTransient, withBackOff } from '../client/back-off.ts';
import { failureOf, PlatformFailure } from '../failures.ts';
import { permission } from '../permissions.ts';
import { RedactedError } from './failures.ts';
import type { ManagedGuild, PlatformOAuth, PlatformUser } from './port.ts';

type UserCalls = Pick<
  PlatformOAuth,
  'readCurrentUser' | 'readCurrentUserGuilds' | 'readManagedGuilds'
>;
type RequestOptions = Parameters<typeof protectedResourceRequest>[5];

const pageSize = 200;
/** Far more guilds than a person can join: bounds a platform that never ends its list. */
const mostPages = 10;
/** Sent for the first page too, because only then the list is ordered by id. */
const beforeAllIds = '1';

const snowflake = z.string().regex(/^\d{1,20}$/);
const currentUser = z.object({
  id: snowflake,
  username: z.string(),
  global_name: z.string().nullish(),
  avatar: z.string().nullish(),
  email: z.string().nullish(),
  verified: z.boolean().nullish(),
  locale: z.string().optional(),
});
const guildId = z.object({ id: snowflake });
const memberGuild = z.object({
  id: snowflake,
  name: z.string(),
  owner: z.boolean(),
  permissions: z.string().regex(/^\d{1,30}$/),
});

/** Calls with a person's own token. `root` is the versioned root of the API. */
export const createUserCalls = (root: string, options: RequestOptions): UserCalls => {
  const get = <Answer>(token: Secret, path: string, answer: z.ZodType<Answer>): Promise<Answer> =>
    withBackOff(async () => {
      const url = new URL(root + path);
      const response = await protectedResourceRequest(
        token.reveal(),
        'GET',
        url,
        undefined,
        null,
        options,
      ).catch(answerOf);
      return parseAnswer(response, answer);
    }, isTransient);

  const readGuilds = async <Guild extends { id: string }>(
    token: Secret,
    guild: z.ZodType<Guild>,
  ): Promise<Guild[]> => {
    const found: Guild[] = [];
    for (let page = 0; page < mostPages; page++) {
      const query = `?limit=${pageSize}&after=${found.at(-1)?.id ?? beforeAllIds}`;
      const answer = z.array(guild).max(pageSize);
      const guilds = await get(token, `/users/@me/guilds${query}`, answer);
      found.push(...guilds);
      if (guilds.length < pageSize) return found;
    }
    throw new PlatformFailure('badAnswer');
  };

  return {
    readCurrentUser: async (token) => userOf(await get(token, '/users/@me', currentUser)),
    readCurrentUserGuilds: async (token) => (await readGuilds(token, guildId)).map(({ id }) => id),
    readManagedGuilds: async (token) =>
      (await readGuilds(token, memberGuild)).filter(isManaged).map(managedGuildOf),
  };
};

/** As the platform decides who may add a bot. */
const isManaged = ({ owner, permissions }: z.output<typeof memberGuild>): boolean =>
  owner || (BigInt(permissions) & (permission.administrator | permission.manageGuild)) !== 0n;

const managedGuildOf = ({ id, name, owner }: z.output<typeof memberGuild>): ManagedGuild => ({
  ...{ id, name, isOwner: owner },
});

/** The library throws a challenge; here it is an answer like any other. */
const answerOf = (error: unknown): Response => {
  if (error instanceof WWWAuthenticateChallengeError) return error.response;
  throw error;
};

const refusalBody = z.object({ code: z.number() });

const parseAnswer = async <Answer>(
  response: Response,
  answer: z.ZodType<Answer>,
): Promise<Answer> => {
  const { status } = response;
  // A person's token, not the bot's.
  if (status === 401) throw new PlatformFailure('memberTokenInvalid', { status });
  const body: unknown = await response.json().catch((error: unknown) => {
    throw new PlatformFailure('badAnswer', { status, cause: new RedactedError(error) });
  });
  if (!response.ok) throw failureOf(status, refusalBody.safeParse(body).data?.code);
  const parsed = answer.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new PlatformFailure('badAnswer', { status, cause: new RedactedError(parsed.error) });
};

const userOf = (user: z.output<typeof currentUser>): PlatformUser => ({
  id: user.id,
  username: user.username,
  displayName: user.global_name ?? null,
  avatarHash: user.avatar ?? null,
  // Anybody can enter the address of somebody else.
  email: (user.verified && user.email) || null,
  locale: user.locale,
});
