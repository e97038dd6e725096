import { analyticsEndpoints } from '@holdfast/contract';
import { analyticsHandlers } from '../../src/features/analytics/routes.ts';
import { attempts } from '../../src/features/verification/table.ts';
import { newServer, type OwnedServer } from './members.ts';
import { serveEndpoints } from './serve-endpoints.ts';
import type { TestService } from './service.ts';

export const tokenHealth = { valid: 3, expired: 2, revoked: 1 };

/** The endpoints of analytics over a clock that a test sets. */
export const analyticsBy = (service: TestService) => {
  const clock = { at: new Date(), now: () => clock.at };
  const handlers = analyticsHandlers({ clock, countTokens: async () => tokenHealth });
  const send = serveEndpoints(service, analyticsEndpoints, handlers);
  const ask = async ({ owner, serverId }: OwnedServer, period = '') =>
    send(owner, 'GET', `/servers/${serverId}/analytics${period && `?period=${period}`}`);
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
