import { protectedResourceRequest, WWWAuthenticateChallengeError } from 'oauth4webapi';
import { z } from 'zod';
import type { Secret } from '../../kernel/secret.ts';
import { isTransient, withBackOff } from '../client/back-off.ts';
import { failureOf, PlatformFailure } from '../failures.ts';
import { RedactedError } from './failures.ts';
import type { PlatformOAuth, PlatformUser } from './port.ts';

type UserCalls = Pick<PlatformOAuth, 'readCurrentUser' | 'readCurrentUserGuilds'>;
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
  locale: z.string().optional(),
});
const guildPage = z.array(z.object({ id: snowflake })).max(pageSize);

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

  return {
    readCurrentUser: async (token) => userOf(await get(token, '/users/@me', currentUser)),
    async readCurrentUserGuilds(token) {
      const guildIds: string[] = [];
      for (let page = 0; page < mostPages; page++) {
        const query = `?limit=${pageSize}&after=${guildIds.at(-1) ?? beforeAllIds}`;
        const guilds = await get(token, `/users/@me/guilds${query}`, guildPage);
        guildIds.push(...guilds.map(({ id }) => id));
        if (guilds.length < pageSize) return guildIds;
      }
      throw new PlatformFailure('badAnswer');
    },
  };
};

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
  email: user.email ?? null,
  locale: user.locale,
});
