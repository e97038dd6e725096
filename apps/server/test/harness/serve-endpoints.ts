import { apiPrefix, type Endpoint } from '@holdfast/contract';
import { holdAccount } from '../../src/features/accounts/queries.ts';
import { createAuthenticator } from '../../src/features/keys/authenticate/authenticate.ts';
import { createPlanTable } from '../../src/features/plans/rules.ts';
import { findOwnedServer } from '../../src/features/servers/queries.ts';
import { createHttpApp } from '../../src/http/app.ts';
import { apiKeyAuth } from '../../src/http/auth/api-key.ts';
import type { Handlers } from '../../src/http/handler.ts';
import { createAccountConcurrency } from '../../src/http/limits/account-concurrency.ts';
import { clientAddressBehind } from '../../src/http/limits/client-address.ts';
import { createRateLimit } from '../../src/http/limits/rate-limit.ts';
import { mountEndpoints } from '../../src/http/pipeline.ts';
import { createMetrics } from '../../src/kernel/metrics.ts';
import { plansWithoutRateLimit, type Tenant, type TestService } from './service.ts';

/** Some endpoints of the contract with handlers of a test's own, by the keys of the service. */
export const serveEndpoints = <Endpoints extends Record<string, Endpoint>>(
  { db, log }: Pick<TestService, 'db' | 'log'>,
  endpoints: Endpoints,
  handlers: Handlers<Endpoints>,
  patience?: number,
) => {
  const frame = { log, metrics: createMetrics(), baseUrl: 'http://localhost:3000' };
  const app = createHttpApp(frame);
  const { limitsOf } = createPlanTable(plansWithoutRateLimit);
  const entrance = apiKeyAuth({ ...createAuthenticator(db, log), limitsOf });
  mountEndpoints(app, entrance, endpoints, handlers, {
    ...{ ...frame, db, limitsOf },
    rateLimit: createRateLimit(),
    clientAddress: clientAddressBehind([]),
    isDatabaseReachable: () => true,
    concurrency: createAccountConcurrency(),
    ...{ findOwnedServer, holdAccount, patience },
  });
  return async ({ key }: Pick<Tenant, 'key'>, method: string, path: string) =>
    app.request(
      `${apiPrefix}${path}`,
      { method, headers: { authorization: `Bearer ${key}` } },
      { peerAddress: () => '127.0.0.1' },
    );
};
