import { Registry } from 'prom-client';
import { redactAccount } from '../../../src/features/backups/erasure/jobs.ts';
import { mountPlatformEvents } from '../../../src/features/me/consent/platform-events.ts';
import { mountMe } from '../../../src/features/me/routes.ts';
import { setTokenStatus } from '../../../src/features/members/queries/person.ts';
import { refreshRecall } from '../../../src/features/pulls/recall/jobs.ts';
import { mountSignIn } from '../../../src/features/sessions/sign-in/sign-in.tsx';
import { revokeTokens, revokeTokensJob } from '../../../src/features/vault/jobs.ts';
import type { TokenOwner } from '../../../src/features/vault/queries.ts';
import type { VaultDependencies } from '../../../src/features/vault/tokens/refresh.ts';
import { storeTokens } from '../../../src/features/vault/tokens/store.ts';
import { createHttpApp } from '../../../src/http/app.ts';
import { clientAddressBehind } from '../../../src/http/limits/client-address.ts';
import { type Clock, systemClock } from '../../../src/kernel/clock.ts';
import { createMetrics } from '../../../src/kernel/metrics.ts';
import type { KeyRing } from '../../../src/kernel/seal.ts';
import { Secret } from '../../../src/kernel/secret.ts';
import { cdnUrlOf } from '../../../src/platform/client/urls.ts';
import { createPlatformMetrics } from '../../../src/platform/metrics.ts';
import { createPlatformOAuth } from '../../../src/platform/oauth/oauth.ts';
import type { TokenPair } from '../../../src/platform/oauth/port.ts';
import { createPlatform } from '../../../src/platform/platform.ts';
import { startQueue } from '../../../src/queue/queue.ts';
import { insertMembers, type OwnedServer } from '../members.ts';
import { serviceUrl } from '../pooled-url.ts';
import { randomPlatformId, startTestService } from '../service.ts';
import { startTestSimulator } from '../simulator/start.ts';

export const usualBaseUrl = 'http://localhost:3000';

type MemberChanges = NonNullable<Parameters<typeof insertMembers>[2]>;

type FixtureOptions = { clock?: Clock; ring?: KeyRing; baseUrl?: string; doesWork?: string[] };

/** People, what servers store about them, and their own page; over a simulator of their own. */
export const startPeopleFixture = async (options: FixtureOptions = {}) => {
  const { clock = systemClock, baseUrl = usualBaseUrl } = options;
  const simulator = await startTestSimulator();
  const service = await startTestService({
    platformApiUrl: simulator.apiUrl,
    ring: options.ring,
    ...(options.doesWork && { doesWork: options.doesWork }),
  });
  const { db, ring, log } = service;
  const { apiUrl } = simulator;
  const metrics = createPlatformMetrics(new Registry());
  const platform = createPlatform({ apiUrl, cdnUrl: cdnUrlOf(apiUrl), metrics });
  const oauth = createPlatformOAuth({ apiUrl, metrics, clock });
  const { databaseUrl: directUrl } = service;
  const url = serviceUrl(directUrl);
  const queueTools = { url, directUrl, isWorker: true, log, metrics: createMetrics() };
  const queue = await startQueue([revokeTokens, redactAccount, refreshRecall], queueTools);
  const vault: VaultDependencies = { db, ring, clock, oauth, queue, setTokenStatus };

  const app = createHttpApp({ log, metrics: createMetrics(), baseUrl });
  const client = { clientId: randomPlatformId(), clientSecret: new Secret('the sign-in secret') };
  const clientAddress = clientAddressBehind([]);
  const managedGuildsPage = {
    hasBot: async () => false,
    send: async () => new Response(null, { status: 404 }),
  };
  mountSignIn(app, { db, platform, oauth, client, baseUrl, clientAddress, managedGuildsPage });
  mountMe(app, { db, ring, queue, platform, clock, baseUrl });
  mountPlatformEvents(app, { db, clock });

  /** What the person agrees to at the platform, through that bot. */
  const agreeTo = async (clientId: string, userId: string): Promise<TokenPair> => {
    const scopes = ['identify', 'guilds.join'];
    const pair = await simulator.control('POST', '/tokens', { clientId, userId, scopes });
    return {
      accessToken: new Secret(pair.access_token),
      refreshToken: new Secret(pair.refresh_token),
      scopes,
      expiresAt: new Date(clock.now().getTime() + pair.expires_in * 1000),
    };
  };

  return {
    ...{ simulator, service, oauth, queue, vault, app, client, agreeTo },
    send: (path: string, init: RequestInit = {}): Promise<Response> =>
      Promise.resolve(app.request(`${baseUrl}${path}`, init, { peerAddress: () => '127.0.0.1' })),
    beginRevoking: () => queue.work([revokeTokensJob({ db, ring, oauth, queue, log })]),
    /** A member who agreed to be brought back, with a token that the platform knows. */
    async addMember(server: OwnedServer, platformId: string, changes: MemberChanges = {}) {
      const owner = await botOfServer(server, platformId);
      const pair = await agreeTo(owner.clientId, platformId);
      await db.transaction((tx) => storeTokens(tx, { ring, clock }, owner, pair));
      const consent = { tokenStatus: 'VALID' as const, consentedAt: new Date(clock.now()) };
      const row = { platformId, botId: owner.botId, ...consent, ...changes };
      await insertMembers(db, server, row);
      return { owner, pair };
    },
    async log(): Promise<{ method: string; path: string; status: number | null; body: string }[]> {
      return simulator.control('GET', '/log');
    },
    async stop() {
      await queue.stop();
      await service.stop();
      await simulator.stop();
    },
  };

  async function botOfServer({ owner, serverId }: OwnedServer, platformId: string) {
    const { body } = await owner.call('GET', `/api/v1/servers/${serverId}`);
    const botId: string = body.data.customBotId;
    const bots = (await owner.call('GET', '/api/v1/bots')).body.data;
    const bot = bots.find(({ id }: { id: string }) => id === botId);
    const tokenOwner: TokenOwner = { accountId: owner.accountId, botId, platformId };
    return { ...tokenOwner, clientId: String(bot.clientId) };
  }
};

export type PeopleFixture = Awaited<ReturnType<typeof startPeopleFixture>>;

/** A browser that keeps cookies and does not follow redirects. */
export const openBrowser = (fixture: Pick<PeopleFixture, 'send'>) => {
  const cookies = new Map<string, string>();
  const go = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(cookie && { cookie }), ...Object.fromEntries(new Headers(init.headers)) };
    const response = await fixture.send(path, { ...init, headers });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  };
  return {
    cookies,
    go,
    text: async (path: string) => (await go(path)).text(),
    post: (path: string, fields: Record<string, string> = {}, headers = {}) => {
      const body = new URLSearchParams(fields).toString();
      return go(path, {
        method: 'POST',
        body,
        headers: {
          origin: usualBaseUrl,
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': String(body.length),
          ...headers,
        },
      });
    },
    /** Authorizes as that person at the platform; gives the path of the callback. */
    async agree(platformId: string, next = '/me'): Promise<string> {
      const toPlatform = await go(`/login?next=${encodeURIComponent(next)}`);
      const page = toPlatform.headers.get('location') ?? '';
      const back = await fetch(`${page}&sim_user=${platformId}`, { redirect: 'manual' });
      const url = new URL(back.headers.get('location') ?? '');
      return url.pathname + url.search;
    },
    async signIn(platformId: string, next?: string): Promise<Response> {
      return go(await this.agree(platformId, next));
    },
  };
};
