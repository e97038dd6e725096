import { expect } from 'bun:test';
import { dashboardApiPrefix } from '@holdfast/contract';
import { TOTP } from 'otpauth';
import { closeDatabase, connectDatabase, type Database } from '../../../src/db/connect.ts';
import { insertSession } from '../../../src/features/sessions/queries.ts';
import { sha256Hex } from '../../../src/kernel/hash.ts';
import { newId, newToken } from '../../../src/kernel/ids.ts';
import type { Tenant, TestService } from '../service.ts';

type Person = Pick<Tenant, 'platformId'>;

const storeSession = async (db: Database, { platformId }: Person) => {
  const [sessionId, token] = [newId(), newToken()];
  const tokenHash = sha256Hex(token);
  const row = { id: sessionId, tokenHash, platformId, username: 'owner' };
  await db.transaction((tx) => insertSession(tx, row));
  return { sessionId, cookie: `__Host-session=${token}` };
};

/** Signs the tenant in to the dashboard; calls its API as their browser does. */
export const openDashboard = async (service: TestService, tenant: Person) => {
  const session = await storeSession(service.db, tenant);
  const headers = { cookie: session.cookie, origin: 'http://localhost:3000' };
  return {
    ...session,
    call: (method: string, path: string, body?: object) =>
      service.call(method, `${dashboardApiPrefix}${path}`, {
        ...(body instanceof FormData ? { raw: body } : { body }),
        headers,
      }),
  };
};

/** A browser of somebody with a second factor: a code was shown in it just now, or, `isStale`, none was. */
export const openWithFactor = async (
  service: TestService,
  tenant: Person,
  { isStale = false } = {},
) => {
  const first = await openDashboard(service, tenant);
  const { secret } = (await first.call('POST', '/second-factor')).body.data;
  const code = new TOTP({ secret }).generate();
  const done = await first.call('PUT', '/second-factor', { code });
  expect(done.status).toBe(200);
  const browser = await openDashboard(service, tenant);
  if (isStale) return browser;
  const [recovery] = done.body.data.recoveryCodes;
  expect((await browser.call('POST', '/confirmation', { code: recovery })).status).toBe(200);
  return browser;
};

/** The cookie of a person who has signed in to a service that runs as a process. */
export const signInByRow = async (databaseUrl: string, person: Person): Promise<string> => {
  const db = connectDatabase(databaseUrl, { name: 'holdfast-fixture', poolSize: 1 });
  const { cookie } = await storeSession(db, person);
  await closeDatabase(db);
  return cookie;
};
