import { afterAll, beforeAll, expect, test } from 'bun:test';
import { dashboardEndpoints, type Endpoint, endpoints } from '@holdfast/contract';
import { massVerifications } from '../src/features/mass-verifications/table.ts';
import { pulls } from '../src/features/pulls/table.ts';
import { restores } from '../src/features/restores/table.ts';
import { appeals } from '../src/features/verification/table.ts';
import { newId } from '../src/kernel/ids.ts';
import { storeAlert } from './harness/alerts.ts';
import { cardSubscription, sendCard } from './harness/billing/events.ts';
import { createServer } from './harness/bots-and-servers.ts';
import { openDashboard } from './harness/dashboard/session.ts';
import { createListing, credit, insertListing, placeOrder } from './harness/marketplace/fixture.ts';
import { insertMembers } from './harness/members.ts';
import { storeAct, storeIncident, storeNewcomer, storeWave } from './harness/protection.ts';
import {
  type OwnTenant,
  type Reply,
  randomPlatformId,
  startTestService,
  type TestService,
} from './harness/service.ts';

/** Not a multiple of the page's length, and some of them of the same moment. */
const rows = 7;
const pageLength = 3;
const sameMoment = new Date('2026-03-01T12:00:00.000Z');
const momentOf = (at: number): Date => (at % 2 === 0 ? sameMoment : new Date(Date.now() - at));

let service: TestService;
let owner: OwnTenant;
let serverId: string;
let incidentId: string;
let dashboard: Awaited<ReturnType<typeof openDashboard>>;

beforeAll(async () => {
  service = await startTestService();
  owner = await service.newTenant();
  dashboard = await openDashboard(service, owner);
  serverId = await createServer(owner);
  incidentId = await storeWave(owner, serverId);
  for (let at = 0; at < rows; at++) await fill(at);
});
afterAll(() => service.stop());

/** One more row for every list there is. */
const fill = async (at: number): Promise<void> => {
  const { db, accountId } = owner;
  const ofServer = { id: newId(), accountId, serverId };
  const createdAt = momentOf(at);
  const post = async (path: string, body: object) => {
    const { status } = await owner.call('POST', `/api/v1${path}`, { body });
    expect(status).toBeOneOf([201, 202]);
  };
  if (at > 0) await createServer(owner);
  await post(`/servers/${serverId}/backups`, {});
  await post(`/servers/${serverId}/blacklist`, { platformId: randomPlatformId() });
  await post('/keys', { name: `key ${at}`, scopes: ['account:read'] });
  await insertMembers(db, { owner, serverId }, { verifiedAt: createdAt });
  const person = { platformId: randomPlatformId(), username: 'deckhand' };
  const appeal = { ...ofServer, ...person, reason: 'VPN' as const, message: 'My school' };
  await db.insert(appeals).values({ ...appeal, createdAt });
  const ended = { status: 'completed' as const, createdAt };
  await db.insert(pulls).values({ ...ofServer, targetServerId: serverId, ...ended });
  const place = { guildId: '1', botId: newId(), verifiedRoleId: '2' };
  await db.insert(massVerifications).values({ ...ofServer, ...place, ...ended });
  await db.insert(restores).values({ ...ofServer, backupId: newId(), components: [], ...ended });
  await storeAlert(owner, { createdAt });
  await storeIncident(owner, serverId, { incident: { createdAt } });
  await storeAct(owner, { serverId, incidentId, at: createdAt });
  await storeNewcomer(owner, { serverId, incidentId, joinedAt: createdAt });
  await credit(owner, 100 + at);
  await sendCard(service, cardSubscription(accountId).checkout('ENTERPRISE'));
  await createListing(owner);
  expect((await placeOrder(owner, await insertListing(owner))).status).toBe(201);
};

const lists = [endpoints, dashboardEndpoints].flatMap((part) =>
  // Object.entries widens the entries; they are the contract's own.
  (Object.entries(part) as [string, Endpoint][])
    .filter(([, { paginated }]) => paginated)
    .map(([name, { path }]) => [name, path, part === dashboardEndpoints] as const),
);

/** What a list must be asked, besides its page. */
const queries: Record<string, string> = {
  listOwnOrders: 'view=BOUGHT',
  findAppeals: 'isOpen=true',
};

/** Their path names an incident. */
const ofIncident = new Set(['listIncidentActs', 'listNewcomers']);
/** It follows the attack from its beginning. */
const oldestFirst = 'listIncidentActs';

const idOf = (list: string): string => {
  if (list === 'listSellerListings') return owner.accountId;
  return ofIncident.has(list) ? incidentId : serverId;
};

type Row = { id: string; createdAt?: string; verifiedAt?: string; at?: string };

test.each(lists)(
  '%s: all pages together are the whole list, in its order, each row once',
  async (name, path, isDashboards) => {
    const ask = (page: number, limit: number): Promise<Reply> => {
      const id = idOf(name);
      const asked = `${path.replace(':id', id)}?page=${page}&limit=${limit}&${queries[name] ?? ''}`;
      return isDashboards ? dashboard.call('GET', asked) : owner.call('GET', `/api/v1${asked}`);
    };
    const { status, body } = await ask(1, 100);
    expect(status).toBe(200);
    const whole: Row[] = body.data;
    expect(whole.length).toBeGreaterThanOrEqual(rows);
    expect(body.pagination).toMatchObject({ total: whole.length, totalPages: 1 });

    const pages: Row[] = [];
    for (let page = 1; page <= Math.ceil(whole.length / pageLength); page++) {
      const reply = await ask(page, pageLength);
      expect(reply.body.pagination.total).toBe(whole.length);
      pages.push(...reply.body.data);
    }
    expect(pages.map(({ id }) => id)).toEqual(whole.map(({ id }) => id));
    expect(new Set(pages.map(({ id }) => id)).size).toBe(whole.length);
    const moments = whole.map(
      ({ createdAt, verifiedAt, at }) => createdAt ?? verifiedAt ?? at ?? '',
    );
    const inOrder = moments.toSorted();
    expect(moments).toEqual(name === oldestFirst ? inOrder : inOrder.reverse());
  },
);
