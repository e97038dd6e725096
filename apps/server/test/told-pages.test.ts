import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { QueryKey } from '@tanstack/react-query';
import { keysChangedBy } from '../../dashboard/src/queries/changed-keys.ts';
import { queryKeys } from '../../dashboard/src/queries/query-keys.ts';
import { createServer, newBotBody } from './harness/bots-and-servers.ts';
import { openDashboard } from './harness/dashboard/session.ts';
import { insertMembers } from './harness/members.ts';
import { randomPlatformId, startTestService, type TestService } from './harness/service.ts';

let service: TestService;
beforeAll(async () => {
  // Nothing changes but by what is asked of it.
  service = await startTestService();
});
afterAll(() => service.stop());

/**
 * What pages read of an account and one of its servers, and the key by which each is read again; not what they
 * ask the platform for.
 */
const readByPages = (id: string): [key: QueryKey, path: string][] => [
  [queryKeys.account, '/account'],
  [queryKeys.overview, '/overview'],
  [queryKeys.apiKeys, '/keys'],
  [queryKeys.audit, '/audit'],
  [queryKeys.alertSettings, '/alerts/settings'],
  [queryKeys.bots, '/bots'],
  [queryKeys.blacklist, '/blacklist/named'],
  [queryKeys.ledger, '/billing/standing'],
  [queryKeys.listings, '/marketplace/own-listings'],
  [queryKeys.orders, '/marketplace/own-orders?view=SOLD'],
  [queryKeys.backupUsage, '/backup-usage'],
  [queryKeys.servers, '/servers'],
  [queryKeys.server(id), `/servers/${id}`],
  [queryKeys.members(id), `/servers/${id}/members/found`],
  [queryKeys.rules(id, 'firewall'), `/servers/${id}/firewall`],
  [queryKeys.rules(id, 'whitelist'), `/servers/${id}/whitelist`],
  [queryKeys.backups(id), `/servers/${id}/backups`],
  [queryKeys.verifyPage(id), `/servers/${id}/verify-page`],
  [queryKeys.pulls(id), `/servers/${id}/pulls`],
];

/** An account with a server, and a member of it who can be pulled. */
const newOwner = async () => {
  const owner = await service.newTenant();
  const id = await createServer(owner);
  const [bot] = (await owner.call('GET', '/api/v1/bots')).body.data;
  const verifiedAt = new Date();
  const consent = { tokenStatus: 'VALID', consentedAt: verifiedAt, verifiedAt } as const;
  const member = { platformId: randomPlatformId(), botId: bot.id, ...consent };
  await insertMembers(service.db, { owner, serverId: id }, member);
  return { owner, id, person: member.platformId, botId: bot.id };
};

type Owner = Awaited<ReturnType<typeof newOwner>>;
type Act = [method: string, path: string, body?: object];

const [rule, name] = [{ type: 'ASN', value: '64501' }, 'Quay'];
const listing = { title: name, description: name, priceCents: 0, currency: 'USD' };

test.each<[string, (owner: Owner) => Act, shown: string]>([
  [
    'a member is blacklisted',
    ({ id, person: platformId }) => ['POST', `/servers/${id}/blacklist`, { platformId }],
    '/members/found',
  ],
  ['a firewall rule is made', ({ id }) => ['POST', `/servers/${id}/firewall`, rule], '/firewall'],
  [
    'a whitelist rule is made',
    ({ id }) => ['POST', `/servers/${id}/whitelist`, rule],
    '/whitelist',
  ],
  ['a pull is begun', ({ id }) => ['POST', `/servers/${id}/pull`, {}], '/overview'],
  ['a backup is begun', ({ id }) => ['POST', `/servers/${id}/backups`], '/backup-usage'],
  [
    'the page of a server is changed',
    ({ id }) => ['PUT', `/servers/${id}/verify-page`, { title: name }],
    '/verify-page',
  ],
  [
    'protection is changed',
    ({ id }) => ['PUT', `/servers/${id}/protection`, { antiRaidEnabled: true }],
    '/servers',
  ],
  ['a server is renamed', ({ id }) => ['PUT', `/servers/${id}`, { name }], '/overview'],
  ['a server is deleted', ({ id }) => ['DELETE', `/servers/${id}`], '/account'],
  ['a bot is added', () => ['POST', '/bots', newBotBody()], '/account'],
  ['a bot rests', ({ botId }) => ['PUT', `/bots/${botId}`, { isActive: false }], '/overview'],
  ['a key is made', () => ['POST', '/keys', { name, scopes: ['account:read'] }], '/keys'],
  [
    'something is offered',
    () => ['POST', '/marketplace/listings', { ...listing, category: 'DESIGN' }],
    '/own-listings',
  ],
])('pages are told to read again whatever they show when %s', async (_, actOf, shown) => {
  const owner = await newOwner();
  const { call } = await openDashboard(service, owner.owner);
  const pages = readByPages(owner.id);
  const readAll = () =>
    Promise.all(
      pages.map(async ([, path]) => {
        const { status, text } = await call('GET', path);
        return `${status} ${text}`;
      }),
    );
  const before = await readAll();
  expect(before.filter((read) => !read.startsWith('200 '))).toEqual([]);
  const already = service.changes.length;
  const { status } = await call(...actOf(owner));
  expect(status).toBeOneOf([200, 201, 202]);
  const after = await readAll();
  const keys = keysChangedBy(service.changes.slice(already).map(({ topic }) => topic));
  // Of a server that is gone the page around the others tells.
  const changed = pages.filter(
    (_, index) => before[index] !== after[index] && !after[index]?.startsWith('404 '),
  );
  const isTold = (key: QueryKey) => keys.some((told) => told.every((part, at) => part === key[at]));
  const paths = changed.map(([, path]) => path);
  expect(paths.filter((path) => path.endsWith(shown))).not.toEqual([]);
  expect(changed.flatMap(([key, path]) => (isTold(key) ? [] : [path]))).toEqual([]);
});
