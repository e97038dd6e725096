import { type Codes, createCodes } from '../oauth/codes.ts';
import { createTokens, type Tokens } from '../oauth/tokens.ts';
import type { AccessGrant, Application, Identities, PlatformUser } from '../platform.ts';
import { parseSnowflake } from '../snowflakes.ts';
import { type Applications, createApplications } from './applications.ts';
import { generateUser, seedUsers } from './users.ts';

export type IdentityStore = Identities & {
  /** Open: any credentials are accepted and any user id exists. Strict: only what was set. */
  isOpen: boolean;
  tokens: Tokens;
  codes: Codes;
  /** The first users that were set, for the authorize page. */
  listUsers(limit: number): PlatformUser[];
  findApplication(id: string): Application | undefined;
  putApplication: Applications['put'];
  isClient: Applications['isClient'];
  allowsRedirect: Applications['allowsRedirect'];
};

/** The platform's users and applications, and their credentials. */
export const createIdentities = ({
  isOpen,
  now,
}: {
  isOpen: boolean;
  now: () => number;
}): IdentityStore => {
  const applications = createApplications(isOpen);
  const tokens = createTokens(isOpen, now);
  const users = new Map(seedUsers().map((user) => [user.id, user]));

  const storedUser = (id: string): PlatformUser | undefined => {
    const application = applications.isStored(id) ? applications.find(id) : undefined;
    return users.get(id) ?? (application && botUserOf(application));
  };

  return {
    isOpen,
    tokens,
    codes: createCodes(now),
    botOf: applications.botOf,
    grantOf: (accessToken) => grantOf(tokens, accessToken),
    findUser: (id) => {
      const isGenerated = isOpen && parseSnowflake(id) !== undefined;
      return storedUser(id) ?? (isGenerated ? generateUser(id) : undefined);
    },
    hasApplication: applications.isStored,
    putUser: (id, changes) => {
      const user = { ...(storedUser(id) ?? generateUser(id)), ...changes, id };
      users.set(id, user);
      if (changes.tokenState !== undefined) tokens.setState(id, changes.tokenState);
      return user;
    },
    listUsers: (limit) => firstHumans(users.values(), limit),
    findApplication: applications.find,
    putApplication: (id, changes) => {
      const user = users.get(id);
      // A bot that was also set as a user is renamed with its application.
      if (user && changes.name) users.set(id, { ...user, username: changes.name });
      return applications.put(id, changes);
    },
    isClient: applications.isClient,
    allowsRedirect: applications.allowsRedirect,
  };
};

export const botUserOf = ({ id, name }: Application): PlatformUser => ({
  ...generateUser(id),
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

/** Stops at the limit, as there may be a hundred thousand users. */
const firstHumans = (users: Iterable<PlatformUser>, limit: number): PlatformUser[] => {
  const humans: PlatformUser[] = [];
  for (const user of users) {
    if (humans.length === limit) break;
    if (!user.isBot && !user.isUnknown) humans.push(user);
  }
  return humans;
};
