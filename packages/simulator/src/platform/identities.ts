import type { AccessGrant, Application, Identities, PlatformUser } from './identity-types.ts';
import { type Applications, createApplications } from './oauth-applications.ts';
import { type Codes, createCodes } from './oauth-codes.ts';
import { firstUsers, pretendUserOf } from './oauth-pretend-users.ts';
import { parseSnowflake } from './oauth-snowflakes.ts';
import { createTokens, type Tokens } from './oauth-tokens.ts';

export type IdentityOptions = {
  /** Open: any credentials are accepted and any user id exists. Strict: only what was set. */
  isOpen: boolean;
  /** Milliseconds since 1970. */
  now: () => number;
};

export type IdentityStore = Identities & {
  isOpen: boolean;
  tokens: Tokens;
  codes: Codes;
  /** The first users that were set, for people to choose from. */
  listUsers(limit: number): PlatformUser[];
  findApplication(id: string): Application | undefined;
  putApplication: Applications['put'];
  isClient: Applications['isClient'];
  allowsRedirect: Applications['allowsRedirect'];
};

/** Who exists on the platform, and what their credentials are worth. */
export const createIdentities = ({ isOpen, now }: IdentityOptions): IdentityStore => {
  const applications = createApplications(isOpen);
  const tokens = createTokens(isOpen, now);
  const users = new Map(firstUsers().map((user) => [user.id, user]));

  const knownUser = (id: string): PlatformUser | undefined => {
    const application = applications.isKnown(id) ? applications.find(id) : undefined;
    return users.get(id) ?? (application && botUserOf(application));
  };

  return {
    isOpen,
    tokens,
    codes: createCodes(now),
    botOf: applications.botOf,
    grantOf: (accessToken) => grantOf(tokens, accessToken),
    findUser: (id) => {
      const isPretended = isOpen && parseSnowflake(id) !== undefined;
      return knownUser(id) ?? (isPretended ? pretendUserOf(id) : undefined);
    },
    putUser: (id, changes) => {
      const user = { ...(knownUser(id) ?? pretendUserOf(id)), ...changes, id };
      users.set(id, user);
      if (changes.tokenState !== undefined) tokens.declare(id, changes.tokenState);
      return user;
    },
    listUsers: (limit) => firstPeople(users.values(), limit),
    findApplication: applications.find,
    putApplication: (id, changes) => {
      const user = users.get(id);
      // A bot that was written down as a user is renamed with its application.
      if (user && changes.name) users.set(id, { ...user, username: changes.name });
      return applications.put(id, changes);
    },
    isClient: applications.isClient,
    allowsRedirect: applications.allowsRedirect,
  };
};

export const botUserOf = ({ id, name }: Application): PlatformUser => ({
  ...pretendUserOf(id),
  username: name,
  globalName: null,
  avatar: null,
  isBot: true,
});

const grantOf = (tokens: Tokens, accessToken: string): AccessGrant | undefined => {
  const token = tokens.find(accessToken);
  if (token === undefined || token.kind !== 'access') return undefined;
  const { userId, applicationId, scopes } = token;
  return { userId, applicationId, scopes, isUsable: tokens.isUsable(token) };
};

/** Stops at the limit: there may be a hundred thousand. */
const firstPeople = (users: Iterable<PlatformUser>, limit: number): PlatformUser[] => {
  const people: PlatformUser[] = [];
  for (const user of users) {
    if (people.length === limit) break;
    if (!user.isBot && !user.isUnknown) people.push(user);
  }
  return people;
};
