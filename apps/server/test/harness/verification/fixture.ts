import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appealEndpoints } from '@holdfast/contract';
import { Registry } from 'prom-client';
import { holdAccount } from '../../../src/features/accounts/queries.ts';
import { createAuthenticator } from '../../../src/features/keys/authenticate/authenticate.ts';
import { createPlanTable } from '../../../src/features/plans/rules.ts';
import { protection } from '../../../src/features/protection/feature.ts';
import { findOwnedServer } from '../../../src/features/servers/queries.ts';
import { revokeTokens, revokeTokensJob } from '../../../src/features/vault/jobs.ts';
import type { CaptchaSettings } from '../../../src/features/verification/captcha/provider.ts';
import { reportVerified } from '../../../src/features/verification/complete/report-verified.ts';
import {
  assignRole,
  assignRoleJob,
  discardTokens,
  discardTokensJob,
  expireVerifications,
  expireVerificationsJob,
  reportVerifiedJob,
} from '../../../src/features/verification/jobs.ts';
import { appealHandlers, mountVerification } from '../../../src/features/verification/routes.ts';
import { createHttpApp } from '../../../src/http/app.ts';
import { apiKeyAuth } from '../../../src/http/auth/api-key.ts';
import { createAccountConcurrency } from '../../../src/http/limits/account-concurrency.ts';
import { clientAddressBehind } from '../../../src/http/limits/client-address.ts';
import { createRateLimit } from '../../../src/http/limits/rate-limit.ts';
import { mountPlaceholders } from '../../../src/http/pages/placeholders.ts';
import { mountEndpoints } from '../../../src/http/pipeline.ts';
import { serveHttp } from '../../../src/http/serve.ts';
import { openIpData } from '../../../src/integrations/ip-data/ip-data.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { createMetrics } from '../../../src/kernel/metrics.ts';
import { createBreaker } from '../../../src/platform/client/breaker.ts';
import { createPlatformMetrics } from '../../../src/platform/metrics.ts';
import { createPlatformOAuth } from '../../../src/platform/oauth/oauth.ts';
import { startQueue } from '../../../src/queue/queue.ts';
import { newPageBrowser } from '../browser/page-browser.ts';
import { serviceUrl } from '../pooled-url.ts';
import { plansWithoutRateLimit, startTestService } from '../service.ts';
import { freePort } from '../service-process.ts';
import { startSimulatedPlatform } from '../simulator/platform.ts';
import { writeIpFiles } from './ip-files.ts';

/** Addresses that the fixture's IP files know. */
export const placesOf = {
  hamburg: '9.9.9.9',
  boston: '8.8.4.4',
  vpn: '8.8.8.8',
};

/** The verification pages over a database, a simulator and a queue of their own; also on a socket, for browsers. */
export const startVerificationFixture = async ({
  captcha = {} as CaptchaSettings,
  breaker = createBreaker(),
  /** Other jobs that the service runs beside those of a verification. */
  doesWork = false as boolean | string[],
} = {}) => {
  const simulator = await startSimulatedPlatform();
  const service = await startTestService({ platformApiUrl: simulator.apiUrl, doesWork });
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  const { db, ring, log, databaseUrl } = service;
  const metrics = createMetrics();
  const names = [assignRole, reportVerified, discardTokens, expireVerifications, revokeTokens];
  const url = serviceUrl(databaseUrl);
  const forQueue = { url, directUrl: databaseUrl, isWorker: true, log, metrics };
  const queue = await startQueue(names, forQueue);
  const oauth = createPlatformOAuth({
    apiUrl: simulator.apiUrl,
    metrics: createPlatformMetrics(new Registry()),
    breaker,
  });
  const { findHeldBack } = protection;
  const jobTools = { db, ring, log, oauth, queue, platform: simulator.platform, findHeldBack };
  await queue.work([
    assignRoleJob(jobTools),
    reportVerifiedJob(jobTools),
    discardTokensJob(jobTools),
    revokeTokensJob(jobTools),
  ]);

  const port = freePort();
  const baseUrl = `http://localhost:${port}`;
  const { limitsOf } = createPlanTable(plansWithoutRateLimit);
  const tools = {
    ...jobTools,
    limitsOf,
    captcha,
    baseUrl,
    clock: systemClock,
    ipData: await openIpData(await writeIpFiles(folder), () => undefined),
    clientAddress: clientAddressBehind(['127.0.0.1']),
    isHeld: protection.isHeld,
  };
  const app = createHttpApp({ log, metrics, baseUrl });
  mountPlaceholders(app);
  const { answerStrayCallback } = mountVerification(app, tools);
  const rateLimit = createRateLimit();
  const entrance = apiKeyAuth({ ...tools, ...createAuthenticator(db, log) });
  const ladder = {
    ...{ ...tools, metrics, rateLimit, findOwnedServer, holdAccount },
    isDatabaseReachable: () => true,
    concurrency: createAccountConcurrency(),
  };
  mountEndpoints(app, entrance, appealEndpoints, appealHandlers, ladder);
  app.notFound(
    (context) => answerStrayCallback(context) ?? context.json({ error: 'Not found' }, 404),
  );
  const server = serveHttp(app, { host: '127.0.0.1', port });

  return {
    ...{ db, service, simulator, baseUrl, app, jobTools },
    forget: () => expireVerificationsJob(jobTools).run({}, new AbortController().signal),
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

export type VerificationFixture = Awaited<ReturnType<typeof startVerificationFixture>>;
