import type { Application } from './identity-types.ts';
import { parseSnowflake, snowflakeFromText } from './oauth-snowflakes.ts';

export type KnownApplication = Application & {
  clientSecret?: string;
  botToken?: string;
  /** Undefined: any is allowed. */
  redirectUris?: string[];
  isDead: boolean;
};

export type ApplicationChanges = Partial<
  Pick<KnownApplication, 'name' | 'clientSecret' | 'botToken' | 'redirectUris' | 'isDead'>
>;

export type Applications = {
  botOf(authorization: string | undefined): Application | undefined;
  find(id: string): Application | undefined;
  /** Applications that were set or have been used; in open mode others exist too. */
  isKnown(id: string): boolean;
  put(id: string, changes: ApplicationChanges): KnownApplication;
  isClient(id: string, secret: string): boolean;
  allowsRedirect(id: string, redirectUri: string): boolean;
};

/** Applications, the tokens of their bots and the secrets of their OAuth2 clients. */
export const createApplications = (isOpen: boolean): Applications => {
  const known = new Map<string, KnownApplication>();
  const knownOrNew = (id: string, isBound = true): KnownApplication => {
    const application = known.get(id) ?? newApplication(id, isBound);
    known.set(id, application);
    return application;
  };

  const botOfToken = (token: string): Application | undefined => {
    const boundId = applicationIdOf(token);
    const id = boundId ?? snowflakeFromText(token);
    const application = isOpen ? knownOrNew(id, boundId !== undefined) : known.get(id);
    if (application === undefined || application.isDead) return undefined;
    // Strict mode takes only the token that was set; open mode any, until one is set.
    const isRight = application.botToken === token || (isOpen && !application.botToken);
    return isRight ? application : undefined;
  };

  return {
    botOf: (authorization) => {
      const token = /^Bot (.+)$/.exec(authorization ?? '')?.[1];
      return token === undefined ? undefined : botOfToken(token);
    },
    find: (id) => known.get(id) ?? (isOpen ? newApplication(id, true) : undefined),
    isKnown: (id) => known.has(id),
    put: (id, changes) => Object.assign(knownOrNew(id), changes),
    isClient: (id, secret) => {
      if (secret === '' || (!isOpen && !known.has(id))) return false;
      const application = knownOrNew(id);
      // The first secret seen in open mode is the right one from then on.
      if (isOpen) application.clientSecret ??= secret;
      return application.clientSecret === secret;
    },
    allowsRedirect: (id, redirectUri) =>
      known.get(id)?.redirectUris?.includes(redirectUri) ?? isOpen,
  };
};

const newApplication = (id: string, isBound: boolean): KnownApplication => ({
  id,
  name: `Application ${id.slice(-4)}`,
  isBound,
  isDead: false,
});

/** The first part of a bot token is its application's id in base64, as on the real platform. */
const applicationIdOf = (token: string): string | undefined => {
  const [first = ''] = token.split('.', 1);
  const text = Buffer.from(first, 'base64').toString('latin1');
  // Short numbers are refused: any short word could decode to one by chance.
  return text.length < 15 ? undefined : parseSnowflake(text);
};
