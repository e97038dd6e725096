import { analyticsEndpoints, apiPrefix } from '@holdfast/contract';
import { holdAccount } from '../../src/features/accounts/queries.ts';
import { analyticsHandlers } from '../../src/features/analytics/routes.ts';
import { createAuthenticator } from '../../src/features/keys/authenticate/authenticate.ts';
import { createPlanTable } from '../../src/features/plans/rules.ts';
import { findOwnedServer } from '../../src/features/servers/queries.ts';
import { attempts } from '../../src/features/verification/table.ts';
import { createHttpApp } from '../../src/http/app.ts';
import { apiKeyAuth } from '../../src/http/auth/api-key.ts';
import { createAccountConcurrency } from '../../src/http/limits/account-concurrency.ts';
import { clientAddressBehind } from '../../src/http/limits/client-address.ts';
import { createRateLimit } from '../../src/http/limits/rate-limit.ts';
import { mountEndpoints } from '../../src/http/pipeline.ts';
import { createMetrics } from '../../src/kernel/metrics.ts';
import { newServer, type OwnedServer } from './members.ts';
import { plansWithoutRateLimit, type TestService } from './service.ts';

export const tokenHealth = { valid: 3, expired: 2, revoked: 1 };

/** The endpoints of analytics over a clock that a test sets. */
export const analyticsBy = (service: TestService) => {
  const { db, log } = service;
  const clock = { at: new Date(), now: () => clock.at };
  const frame = { log, metrics: createMetrics(), baseUrl: 'http://localhost:3000' };
  const app = createHttpApp(frame);
  const handlers = analyticsHandlers({ clock, countTokens: async () => tokenHealth });
  const { limitsOf } = createPlanTable(plansWithoutRateLimit);
  const entrance = apiKeyAuth({ ...createAuthenticator(db, log), limitsOf });
  mountEndpoints(app, entrance, analyticsEndpoints, handlers, {
    ...{ ...frame, db, limitsOf },
    rateLimit: createRateLimit(),
    clientAddress: clientAddressBehind([]),
    isDatabaseReachable: () => true,
    concurrency: createAccountConcurrency(),
    ...{ findOwnedServer, holdAccount },
  });
  const ask = async ({ owner, serverId }: OwnedServer, period = '') =>
    app.request(
      `${apiPrefix}/servers/${serverId}/analytics${period && `?period=${period}`}`,
      { headers: { authorization: `Bearer ${owner.key}` } },
      { peerAddress: () => '127.0.0.1' },
    );
  const read = async (server: OwnedServer, period?: string) => {
    const answer = await ask(server, period);
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(text);
    return JSON.parse(text).data;
  };
  return { clock, ask, read, newServer: () => newServer(service) };
};

type Row = typeof attempts.$inferInsert;

export const insertAttempts = async (
  { db }: TestService,
  { owner, serverId }: OwnedServer,
  ...rows: Partial<Row>[]
): Promise<void> => {
  const whole = rows.map((row) => ({
    id: crypto.randomUUID(),
    accountId: owner.accountId,
    serverId,
    ...row,
  }));
  if (whole.length > 0) await db.insert(attempts).values(whole);
};
