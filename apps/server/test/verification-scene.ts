import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appealEndpoints } from '@holdfast/contract';
import { Registry } from 'prom-client';
import { createAuthenticator } from '../src/features/keys/authenticate.ts';
import { createPlanTable } from '../src/features/plans/plans.ts';
import { findOwnedServer } from '../src/features/servers/queries.ts';
import { holdAccount } from '../src/features/accounts/queries.ts';
import { revokeTokens, revokeTokensJob } from '../src/features/vault/jobs.ts';
import { appealHandlers } from '../src/features/verification/appeals/routes.ts';
import type { CaptchaSettings } from '../src/features/verification/captcha/provider.ts';
import { forgetPast, giveRole, releaseTokens } from '../src/features/verification/job-names.ts';
import { forgetPastJob, giveRoleJob, releaseTokensJob } from '../src/features/verification/jobs.ts';
import { mountVerification } from '../src/features/verification/mount.ts';
import { createHttpApp } from '../src/http/app.ts';
import { byKey } from '../src/http/bearer.ts';
import { clientAddressBehind } from '../src/http/client-address.ts';
import { mountApi } from '../src/http/ladder.ts';
import { mountPageStyle } from '../src/http/pages/page.tsx';
import { mountPlaceholders } from '../src/http/placeholders.ts';
import { createRateLimit } from '../src/http/rate-limit.ts';
import { serveHttp } from '../src/http/serve.ts';
import { createAccountTurns } from '../src/http/turns.ts';
import { systemClock } from '../src/kernel/clock.ts';
import { createMetrics } from '../src/kernel/metrics.ts';
import { openIpData } from '../src/integrations/ip-data/open-ip-data.ts';
import { createBreaker } from '../src/platform/breaker.ts';
import { createPlatformMetrics } from '../src/platform/metrics.ts';
import { createPlatformOAuth } from '../src/platform/oauth.ts';
import { startQueue } from '../src/queue/queue.ts';
import { startTestService, unhurriedPlans } from './harness.ts';
import { writeIpFiles } from './ip-files.ts';
import { newPageBrowser } from './page-browser.ts';
import { startSimulatedPlatform } from './simulated-platform.ts';

/** Addresses of which the scene's own files know something. */
export const placesOf = {
  hamburg: '9.9.9.9',
  boston: '8.8.4.4',
  vpn: '8.8.8.8',
};

const freePort = async (): Promise<number> => {
  const probe = Bun.serve({ port: 0, fetch: () => new Response() });
  const { port } = probe;
  await probe.stop(true);
  return port ?? 0;
};

/** The way in over a database, a simulator and a queue of its own; also on a socket, for browsers. */
export const startVerificationScene = async ({
  captcha = {} as CaptchaSettings,
  breaker = createBreaker(),
} = {}) => {
  const simulator = await startSimulatedPlatform();
  const service = await startTestService({ platformApiUrl: simulator.apiUrl });
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  const { db, ring, log, databaseUrl } = service;
  const metrics = createMetrics();
  const names = [giveRole, releaseTokens, forgetPast, revokeTokens];
  const queue = await startQueue(names, { url: databaseUrl, isWorker: true, log, metrics });
  const oauth = createPlatformOAuth({
    apiUrl: simulator.apiUrl,
    metrics: createPlatformMetrics(new Registry()),
    breaker,
  });
  const jobTools = { db, ring, log, oauth, platform: simulator.platform };
  await queue.work([giveRoleJob(jobTools), releaseTokensJob(jobTools), revokeTokensJob(jobTools)]);

  const port = await freePort();
  const baseUrl = `http://localhost:${port}`;
  const { limitsOf } = createPlanTable(unhurriedPlans);
  const tools = {
    ...jobTools,
    queue,
    limitsOf,
    captcha,
    baseUrl,
    clock: systemClock,
    ipData: await openIpData(await writeIpFiles(folder), () => undefined),
    clientAddress: clientAddressBehind(['127.0.0.1']),
  };
  const app = createHttpApp({ log, metrics, baseUrl });
  mountPageStyle(app);
  mountPlaceholders(app);
  const { answerStrayCallback } = mountVerification(app, tools);
  const rateLimit = createRateLimit();
  const { authenticate } = createAuthenticator(db, log);
  const entrance = byKey({ ...tools, authenticate });
  const ladder = {
    ...{ ...tools, rateLimit, findOwnedServer, holdAccount },
    isDatabaseReachable: () => true,
    turns: createAccountTurns(),
  };
  mountApi(app, entrance, appealEndpoints, appealHandlers, ladder);
  app.notFound(
    (context) => answerStrayCallback(context) ?? context.json({ error: 'Not found' }, 404),
  );
  const server = serveHttp(app, { host: '127.0.0.1', port });

  return {
    ...{ db, service, simulator, baseUrl, app, jobTools },
    forget: () => forgetPastJob(jobTools).run({}, new AbortController().signal),
    /** A browser at this address. */
    newBrowser: (address: string = placesOf.hamburg, headers: Record<string, string> = {}) =>
      newPageBrowser((request, peer) => app.fetch(request, { peerAddress: () => peer }), baseUrl, {
        address,
        headers,
      }),
    async stop() {
      await server.stop();
      await queue.stop();
      await service.stop();
      await simulator.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

export type VerificationScene = Awaited<ReturnType<typeof startVerificationScene>>;
