import { dashboardApiPrefix } from '@holdfast/contract';
import { insertSession } from '../../../src/features/sessions/queries.ts';
import { sha256Hex } from '../../../src/kernel/hash.ts';
import { newId, newToken } from '../../../src/kernel/ids.ts';
import type { Tenant, TestService } from '../service.ts';

/** Signs the tenant in to the dashboard; calls its API as their browser does. */
export const openDashboard = async (service: TestService, { platformId }: Tenant) => {
  const [sessionId, token] = [newId(), newToken()];
  await insertSession(service.db, {
    id: sessionId,
    tokenHash: sha256Hex(token),
    platformId,
    username: 'owner',
  });
  const cookie = `__Host-session=${token}`;
  const headers = { cookie, origin: 'http://localhost:3000' };
  return {
    ...{ sessionId, cookie },
    call: (method: string, path: string, body?: object) =>
      service.call(method, `${dashboardApiPrefix}${path}`, { body, headers }),
  };
};
