import { Registry } from 'prom-client';
import { redactAccount } from '../src/features/backups/people/job-names.ts';
import { mountPlatformEvents } from '../src/features/me/platform-events.ts';
import { mountMe } from '../src/features/me/routes.ts';
import { markTokens } from '../src/features/members/person/queries.ts';
import { mountSignIn } from '../src/features/sessions/sign-in.tsx';
import { revokeTokens, revokeTokensJob } from '../src/features/vault/jobs.ts';
import type { TokenOwner } from '../src/features/vault/queries.ts';
import type { VaultTools } from '../src/features/vault/refresh.ts';
import { keepTokens } from '../src/features/vault/vault.ts';
import { createHttpApp } from '../src/http/app.ts';
import { clientAddressBehind } from '../src/http/client-address.ts';
import { mountPageStyle } from '../src/http/pages/page.tsx';
import { type Clock, systemClock } from '../src/kernel/clock.ts';
import { createMetrics } from '../src/kernel/metrics.ts';
import type { KeyRing } from '../src/kernel/seal.ts';
import { Secret } from '../src/kernel/secret.ts';
import { createPlatformMetrics } from '../src/platform/metrics.ts';
import { createPlatformOAuth } from '../src/platform/oauth.ts';
import { createPlatform } from '../src/platform/platform.ts';
import type { TokenPair } from '../src/platform/port-oauth.ts';
import { cdnUrlOf } from '../src/platform/urls.ts';
import { startQueue } from '../src/queue/queue.ts';
import { randomPlatformId, startTestService } from './harness.ts';
import { insertMembers, type Place } from './member-rows.ts';
import { startTestSimulator } from './simulator.ts';

export const usualBaseUrl = 'http://localhost:3000';

type MemberChanges = NonNullable<Parameters<typeof insertMembers>[2]>;

type SceneOptions = { clock?: Clock; ring?: KeyRing; baseUrl?: string; doesWork?: string[] };

/** People, what servers keep about them, and the pages on which they see it; over a platform of their own. */
export const startPeopleScene = async (options: SceneOptions = {}) => {
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
  const queueTools = { url: service.databaseUrl, isWorker: true, log, metrics: createMetrics() };
  const queue = await startQueue([revokeTokens, redactAccount], queueTools);
  const vault: VaultTools = { db, ring, clock, oauth, markTokens };

  const app = createHttpApp({ log, metrics: createMetrics(), baseUrl });
  const client = { clientId: randomPlatformId(), clientSecret: new Secret('the sign-in secret') };
  mountPageStyle(app);
  const clientAddress = clientAddressBehind([]);
  mountSignIn(app, { db, platform, oauth, client, baseUrl, clientAddress });
  mountMe(app, { db, ring, queue, baseUrl });
  mountPlatformEvents(app, { db, clock });

  /** What the person agrees to at the platform, through that bot. */
  const agreeTo = async (clientId: string, accountId: string): Promise<TokenPair> => {
    const scopes = ['identify', 'guilds.join'];
    const pair = await simulator.control('POST', '/tokens', { clientId, accountId, scopes });
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
    beginRevoking: () => queue.work([revokeTokensJob({ db, ring, oauth, log })]),
    /** A member who agreed to be brought back, with a token that the platform knows. */
    async addMember(place: Place, platformId: string, changes: MemberChanges = {}) {
      const owner = await botOfServer(place, platformId);
      const pair = await agreeTo(owner.clientId, platformId);
      await db.transaction((tx) => keepTokens(tx, { ring, clock }, owner, pair));
      const consent = { tokenStatus: 'VALID' as const, consentedAt: new Date(clock.now()) };
      const row = { platformId, botId: owner.botId, ...consent, ...changes };
      await insertMembers(db, place, row);
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

  async function botOfServer({ owner, serverId }: Place, platformId: string) {
    const { body } = await owner.call('GET', `/api/v1/servers/${serverId}`);
    const botId: string = body.data.customBotId;
    const bots = (await owner.call('GET', '/api/v1/bots')).body.data;
    const bot = bots.find(({ id }: { id: string }) => id === botId);
    const tokenOwner: TokenOwner = { accountId: owner.accountId, botId, platformId };
    return { ...tokenOwner, clientId: String(bot.clientId) };
  }
};

export type PeopleScene = Awaited<ReturnType<typeof startPeopleScene>>;

/** A browser that keeps its cookies and follows nothing by itself. */
export const openBrowser = (scene: Pick<PeopleScene, 'send'>) => {
  const cookies = new Map<string, string>();
  const go = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(cookie && { cookie }), ...Object.fromEntries(new Headers(init.headers)) };
    const response = await scene.send(path, { ...init, headers });
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
    /** To the platform's page and, as that person, back to our own: the path to come back by. */
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

export type PretendBrowser = ReturnType<typeof openBrowser>;
