import { createHash, randomBytes } from 'node:crypto';
import { Hono } from 'hono';
import { mountCdn } from '../src/platform/cdn/images.ts';
import { mountIdentityControl } from '../src/platform/control/identity-routes.ts';
import { ApiError } from '../src/platform/http/api-error.ts';
import { createIdentities, type IdentityStore } from '../src/platform/identity/identities.ts';
import type { CurrentUserGuild } from '../src/platform/identity/routes.ts';
import { mountAuthorizePage } from '../src/platform/oauth/authorize.ts';
import { mountOAuth } from '../src/platform/oauth/routes.ts';
import type { PlatformApp } from '../src/platform/platform.ts';

export const clientId = '900000000000000001';
export const clientSecret = 'secret-of-the-client';
const redirectUri = 'https://service.example/callback';
export const userId = '224716394085220352';

export type TokenAnswer = {
  access_token: string;
  refresh_token: string;
  expires_in: number;
  token_type: string;
  scope: string;
};

/** Only identities and OAuth, on their own port. */
export const startIdentities = ({ isOpen = true }: { isOpen?: boolean } = {}) => {
  let skippedMs = 0;
  const identities = createIdentities({ isOpen, now: () => Date.now() + skippedMs });
  const guildIds = new Map<string, string[]>();
  const app = mountAll(identities, guildIds);
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: app.fetch });
  const origin = `http://127.0.0.1:${server.port}`;
  const send = (path: string, init?: RequestInit) =>
    fetch(origin + path, { redirect: 'manual', ...init });

  const form = (path: string, fields: Record<string, string>, headers?: Record<string, string>) =>
    send(path, { method: 'POST', headers, body: new URLSearchParams(fields) });
  const ownForm = (path: string, fields: Record<string, string>) =>
    form(`/api/v10${path}`, { client_id: clientId, client_secret: clientSecret, ...fields });
  const control = (method: string, path: string, body: unknown) =>
    send(path, { method, body: JSON.stringify(body) });
  const get = (path: string, authorization?: string) =>
    send(`/api/v10${path}`, authorization ? { headers: { authorization } } : {});

  return {
    identities,
    send,
    form,
    control,
    get,
    origin,
    stop: () => server.stop(true),
    skip: (ms: number) => {
      skippedMs += ms;
    },
    token: (fields: Record<string, string>) => ownForm('/oauth2/token', fields),
    revoke: (fields: Record<string, string>) => ownForm('/oauth2/token/revoke', fields),
    pair: async (changes: Record<string, unknown> = {}): Promise<TokenAnswer> => {
      const request = { clientId, userId, scopes: ['identify', 'guilds.join'], ...changes };
      // A response of the simulator; another test checks its shape.
      return (await (await control('POST', '/__sim/tokens', request)).json()) as TokenAnswer;
    },
  };
};

type Running = ReturnType<typeof startIdentities>;

const mountAll = (identities: IdentityStore, guildIds: Map<string, string[]>): PlatformApp => {
  const app: PlatformApp = new Hono();
  const api: PlatformApp = new Hono();
  mountOAuth(api, identities, (id) => (guildIds.get(id) ?? []).map(guildNamed));
  mountAuthorizePage(api, identities);
  app.route('/api/v10', api);
  mountAuthorizePage(app, identities);
  mountCdn(app, new Map());
  mountIdentityControl(app, identities, {
    setGuildsOfUser: (_, id, ids) => guildIds.set(id, ids),
    tellOfUser: () => {},
    endRefusedSessions: () => {},
  });
  app.onError((error, c) =>
    error instanceof ApiError
      ? c.json(error.body, error.status)
      : c.text(error.stack ?? error.message, 500),
  );
  return app;
};

const guildNamed = (id: string): CurrentUserGuild => ({
  id,
  name: `Guild ${id}`,
  icon: null,
  banner: null,
  owner: false,
  permissions: '0',
  features: [],
  approximate_member_count: 7,
  approximate_presence_count: 3,
});

export const authorizeUrl = (changes: Record<string, string | undefined> = {}): string => {
  const fields = {
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'identify guilds.join',
    state: 'a state',
    sim_user: userId,
    ...changes,
  };
  const given = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return `/oauth2/authorize?${new URLSearchParams(given)}`;
};

export const getCode = async (
  { send }: Pick<Running, 'send'>,
  changes: Record<string, string | undefined> = {},
): Promise<string> => {
  const answer = await send(authorizeUrl(changes));
  return locationOf(answer).searchParams.get('code') ?? '';
};

export const locationOf = (answer: Response): URL => new URL(answer.headers.get('location') ?? '');

export const codeFields = (code: string, changes: Record<string, string> = {}) => ({
  grant_type: 'authorization_code',
  code,
  redirect_uri: redirectUri,
  ...changes,
});

export const makeVerifier = () => {
  const verifier = randomBytes(48).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
};

export const errorOf = async (answer: Response): Promise<[number, unknown]> => {
  const body: unknown = await answer.json();
  return [answer.status, body && typeof body === 'object' && 'error' in body ? body.error : body];
};

export const botToken = (applicationId: string): string =>
  `${Buffer.from(applicationId).toString('base64').replaceAll('=', '')}.Gabcde.${'x'.repeat(38)}`;
