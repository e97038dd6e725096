import { analyticsEndpoints, apiPrefix } from '@holdfast/contract';
import { analyticsHandlers } from '../src/features/analytics/routes.ts';
import { createAuthenticator } from '../src/features/keys/authenticate.ts';
import { createPlanTable } from '../src/features/plans/plans.ts';
import { findOwnedServer } from '../src/features/servers/queries.ts';
import { holdAccount } from '../src/features/accounts/queries.ts';
import { attempts } from '../src/features/verification/table.ts';
import { createHttpApp } from '../src/http/app.ts';
import { byKey } from '../src/http/bearer.ts';
import { clientAddressBehind } from '../src/http/client-address.ts';
import { mountApi } from '../src/http/ladder.ts';
import { createRateLimit } from '../src/http/rate-limit.ts';
import { createAccountTurns } from '../src/http/turns.ts';
import { createMetrics } from '../src/kernel/metrics.ts';
import { type TestService, unhurriedPlans } from './harness.ts';
import { newPlace, type Place } from './member-rows.ts';

export const tokenHealth = { valid: 3, expired: 2, revoked: 1 };

/** A clock to be set, and the API's analytics by it. */
export const analyticsBy = (service: TestService) => {
  const { db, log } = service;
  const clock = { at: new Date(), now: () => clock.at };
  const app = createHttpApp({
    ...{ log, metrics: createMetrics() },
    baseUrl: 'http://localhost:3000',
  });
  const handlers = analyticsHandlers({ clock, countTokens: async () => tokenHealth });
  const { limitsOf } = createPlanTable(unhurriedPlans);
  const entrance = byKey({ ...createAuthenticator(db, log), limitsOf });
  mountApi(app, entrance, analyticsEndpoints, handlers, {
    ...{ db, limitsOf },
    rateLimit: createRateLimit(),
    clientAddress: clientAddressBehind([]),
    isDatabaseReachable: () => true,
    turns: createAccountTurns(),
    ...{ findOwnedServer, holdAccount },
  });
  const ask = async ({ owner, serverId }: Place, period = '') =>
    app.request(
      `${apiPrefix}/servers/${serverId}/analytics${period && `?period=${period}`}`,
      { headers: { authorization: `Bearer ${owner.key}` } },
      { peerAddress: () => '127.0.0.1' },
    );
  const read = async (place: Place, period?: string) => {
    const answer = await ask(place, period);
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(text);
    return JSON.parse(text).data;
  };
  return { clock, ask, read, newPlace: () => newPlace(service) };
};

type Row = typeof attempts.$inferInsert;

export const insertAttempts = async (
  { db }: TestService,
  { owner, serverId }: Place,
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
