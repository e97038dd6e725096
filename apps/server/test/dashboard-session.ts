import { dashboardApiPrefix } from '@holdfast/contract';
import { insertSession } from '../src/features/sessions/queries.ts';
import { newToken } from '../src/http/pages/cookies.ts';
import { newId } from '../src/kernel/ids.ts';
import { sha256Hex } from '../src/kernel/sha256.ts';
import type { Tenant, TestService } from './harness.ts';

/** The tenant in front of the dashboard: what their browser asks the service for. */
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
