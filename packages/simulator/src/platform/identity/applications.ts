import type { Application } from '../platform.ts';
import { parseSnowflake, snowflakeFromText } from '../snowflakes.ts';
import { PRIVILEGED_INTENTS } from './intents.ts';

type StoredApplication = Application & {
  clientSecret?: string;
  botToken?: string;
  isDead: boolean;
};

type ApplicationChanges = Partial<
  Pick<
    StoredApplication,
    | 'name'
    | 'clientSecret'
    | 'botToken'
    | 'redirectUris'
    | 'isDead'
    | 'intents'
    | 'isOwnerMfaEnabled'
  >
>;

export type Applications = {
  botOf(authorization: string | undefined): Application | undefined;
  find(id: string): Application | undefined;
  /** Whether it was set or used; in open mode others exist too. */
  isStored(id: string): boolean;
  put(id: string, changes: ApplicationChanges): StoredApplication;
  isClient(id: string, secret: string): boolean;
  allowsRedirect(id: string, redirectUri: string): boolean;
};

/** Applications, the tokens of their bots and the secrets of their OAuth2 clients. */
export const createApplications = (isOpen: boolean): Applications => {
  const applications = new Map<string, StoredApplication>();
  const findOrCreate = (id: string, isBound = true): StoredApplication => {
    const application = applications.get(id) ?? newApplication(id, isBound);
    applications.set(id, application);
    return application;
  };

  const botOfToken = (token: string): Application | undefined => {
    const boundId = applicationIdOf(token);
    const id = boundId ?? snowflakeFromText(token);
    const application = isOpen ? findOrCreate(id, boundId !== undefined) : applications.get(id);
    if (application === undefined || application.isDead) return undefined;
    // Strict mode accepts only the token that was set; open mode any, until one is set.
    const isValid = application.botToken === token || (isOpen && !application.botToken);
    return isValid ? application : undefined;
  };

  return {
    botOf: (authorization) => {
      const token = /^Bot (.+)$/.exec(authorization ?? '')?.[1];
      return token === undefined ? undefined : botOfToken(token);
    },
    find: (id) => applications.get(id) ?? (isOpen ? newApplication(id, true) : undefined),
    isStored: (id) => applications.has(id),
    put: (id, changes) => Object.assign(findOrCreate(id), changes),
    isClient: (id, secret) => {
      if (secret === '' || (!isOpen && !applications.has(id))) return false;
      const application = findOrCreate(id);
      // In open mode the first secret that is used becomes the valid one.
      if (isOpen) application.clientSecret ??= secret;
      return application.clientSecret === secret;
    },
    allowsRedirect: (id, redirectUri) =>
      applications.get(id)?.redirectUris?.includes(redirectUri) ?? isOpen,
  };
};

const newApplication = (id: string, isBound: boolean): StoredApplication => ({
  id,
  name: `Application ${id.slice(-4)}`,
  isBound,
  intents: PRIVILEGED_INTENTS,
  isOwnerMfaEnabled: true,
  isDead: false,
});

/** The first segment of a bot token is its application's id in base64, as on the real platform. */
const applicationIdOf = (token: string): string | undefined => {
  const [first = ''] = token.split('.', 1);
  const text = Buffer.from(first, 'base64').toString('latin1');
  // Short numbers are ignored: a short word could decode to one by chance.
  return text.length < 15 ? undefined : parseSnowflake(text);
};
