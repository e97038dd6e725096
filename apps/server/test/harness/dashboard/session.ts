import { dashboardApiPrefix } from '@holdfast/contract';
import { insertSession } from '../../../src/features/sessions/queries.ts';
import { sha256Hex } from '../../../src/kernel/hash.ts';
import { newId, newToken } from '../../../src/kernel/ids.ts';
import type { Tenant, TestService } from '../service.ts';

/** Signs the tenant in to the dashboard; calls its API as their browser does. */
export const openDashboard = async (service: TestService, { platformId }: Tenant) => {
  const token = newToken();
  await insertSession(service.db, {
    id: newId(),
    tokenHash: sha256Hex(token),
    platformId,
    username: 'owner',
  });
  const headers = { cookie: `__Host-session=${token}`, origin: 'http://localhost:3000' };
  return {
    call: (method: string, path: string, body?: object) =>
      service.call(method, `${dashboardApiPrefix}${path}`, { body, headers }),
  };
};
