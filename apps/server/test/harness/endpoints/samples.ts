import { apiPrefix, type EndpointName, endpoints, type PullResult } from '@holdfast/contract';
import { findOrCreateAccount } from '../../../src/features/accounts/queries.ts';
import { orders } from '../../../src/features/marketplace/table.ts';
import { pullMembers, pulls } from '../../../src/features/pulls/table.ts';
import { appeals } from '../../../src/features/verification/table.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { storeAlert } from '../alerts.ts';
import { createBot, createServer, newBotBody } from '../bots-and-servers.ts';
import { eventually } from '../eventually.ts';
import {
  createListing,
  credit,
  insertListing,
  listingBody,
  placeOrder,
} from '../marketplace/fixture.ts';
import { insertMembers } from '../members.ts';
import { type CallOptions, type OwnTenant, randomPlatformId, type Tenant } from '../service.ts';

/** A request that its endpoint accepts from the tenant it was made for. */
export type Sample = {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: Record<string, unknown>;
};

const createRule = async (owner: Tenant, list: 'firewall' | 'whitelist'): Promise<Sample> => {
  const id = await createServer(owner);
  const reply = await owner.call('POST', `${apiPrefix}/servers/${id}/${list}`, {
    body: { type: 'ASN', value: '64500' },
  });
  return { params: { id }, query: { ruleId: reply.body.data.id } };
};

const createBackup = async (owner: Tenant): Promise<Sample> => {
  const id = await createServer(owner);
  const reply = await owner.call('POST', `${apiPrefix}/servers/${id}/backups`);
  return { params: { id, backupId: reply.body.data.id } };
};

const completedBackups = new WeakMap<Tenant, Promise<Required<Sample>['params']>>();

/** One for each account: taking a backup takes a while. */
const findCompletedBackup = (owner: Tenant) => {
  const known = completedBackups.get(owner) ?? takeBackup(owner);
  completedBackups.set(owner, known);
  return known;
};

const takeBackup = async (owner: Tenant): Promise<Required<Sample>['params']> => {
  const { params = {} } = await createBackup(owner);
  await eventually(20_000, async () => {
    const path = `${apiPrefix}/servers/${params.id}/backups/${params.backupId}`;
    const { status } = (await owner.call('GET', path)).body.data;
    if (status !== 'completed') throw new Error(`The backup is ${status}`);
  });
  return params;
};

const ofCompletedBackup = async (owner: Tenant): Promise<Sample> => ({
  params: await findCompletedBackup(owner),
  body: { components: ['roles'], targetServerId: await createServer(owner) },
});

const createRestore = async (owner: Tenant): Promise<Sample> => {
  const reply = await send(owner, 'restoreBackup', await ofCompletedBackup(owner));
  return { params: { id: reply.body.data.id } };
};

/** A pull of one member that has stopped. */
const storeStoppedPull = async (
  owner: OwnTenant,
  status: 'cancelled' | 'completed',
  result: PullResult | null,
): Promise<Sample> => {
  const { accountId, db } = owner;
  const serverId = await createServer(owner);
  const platformId = randomPlatformId();
  const consent = { consentedAt: new Date(), tokenStatus: 'REVOKED' as const };
  const [member] = await insertMembers(db, { owner, serverId }, { platformId, ...consent });
  const counts = { total: 1, processed: result ? 1 : 0, ...(result && { [result]: 1 }) };
  const pull = { id: newId(), accountId, serverId, targetServerId: serverId, status, ...counts };
  await db.insert(pulls).values({ ...pull, selectedAt: new Date(), completedAt: new Date() });
  const row = { pullId: pull.id, seq: 1, memberId: member?.id, isForeign: false };
  await db.insert(pullMembers).values({ ...row, result, begunAt: new Date() });
  return { params: { id: pull.id } };
};

const createPull = async (owner: Tenant): Promise<Sample> => {
  const reply = await owner.call('POST', `${apiPrefix}/servers/${await createServer(owner)}/pull`);
  return { params: { id: reply.body.data.id } };
};

/** Appeals are made on a page, by people without a key. */
const createAppeal = async (owner: OwnTenant): Promise<Sample> => {
  const [id, appealId] = [await createServer(owner), newId()];
  const person = { platformId: randomPlatformId(), username: 'deckhand' };
  const row = { id: appealId, accountId: owner.accountId, serverId: id, ...person };
  await owner.db.insert(appeals).values({ ...row, reason: 'VPN', message: 'It is my school.' });
  return { params: { id, appealId } };
};

/** Of somebody else, who gives it away; what is paid later is by card. */
const createOrder = async (owner: OwnTenant, priceCents: number): Promise<Sample> => {
  const listingId = await insertListing(owner, { priceCents });
  const reply = await placeOrder(owner, listingId);
  return { params: { id: reply.body.data.id } };
};

const insertOrder = async (
  { db }: OwnTenant,
  parties: { buyerId?: string; sellerId?: string },
): Promise<Sample> => {
  const [id, listingId] = [newId(), await insertListing({ db })];
  const { id: stranger } = await db.transaction((tx) =>
    findOrCreateAccount(tx, randomPlatformId()),
  );
  await db.insert(orders).values({
    ...{ id, listingId, listingTitle: 'A figurehead', deliveryType: 'MANUAL', quantity: 2 },
    ...{ buyerId: stranger, sellerId: stranger, payWith: 'BALANCE', currency: 'USD' },
    ...{ unitPriceCents: 0, totalCents: 0, feeCents: 0, status: 'FULFILLING' },
    ...parties,
  });
  return { params: { id } };
};

const ofNewServer = async (owner: Tenant) => ({ params: { id: await createServer(owner) } });

/** One for every endpoint: a new entry of the contract does not compile without its own. */
export const samples: Record<EndpointName, (owner: OwnTenant) => Promise<Sample>> = {
  getAccount: async () => ({}),
  deleteAccount: async ({ platformId }) => ({ body: { confirm: `user-${platformId}` } }),
  listBots: async () => ({}),
  createBot: async () => ({ body: newBotBody() }),
  updateBot: async (owner) => ({
    params: { id: await createBot(owner) },
    body: { name: 'Renamed', clientId: randomPlatformId(), activityText: 'the door' },
  }),
  deleteBot: async (owner) => ({ params: { id: await createBot(owner) } }),
  listServers: async () => ({ query: { page: '1', limit: '5' } }),
  createServer: async (owner) => ({
    body: {
      platformGuildId: randomPlatformId(),
      customBotId: await createBot(owner),
      name: 'Harbour',
      verifiedRoleId: '1',
      logChannelId: '2',
    },
  }),
  getServer: ofNewServer,
  updateServer: async (owner) => ({
    ...(await ofNewServer(owner)),
    body: {
      name: 'Renamed',
      customBotId: await createBot(owner),
      captchaType: 'NONE',
      minAccountAgeDays: 3,
      backupSchedule: { everyHours: 24 },
      retention: { daily: 1, weekly: 2, monthly: 3 },
    },
  }),
  deleteServer: ofNewServer,
  listAppeals: ofNewServer,
  decideAppeal: async (owner) => ({ ...(await createAppeal(owner)), body: { decision: 'ACCEPT' } }),
  getAnalytics: async (owner) => ({ ...(await ofNewServer(owner)), query: { period: '7d' } }),
  listAlerts: async () => ({ query: { page: '1', limit: '5' } }),
  readAlerts: async (owner) => ({ body: { upTo: await storeAlert(owner) } }),
  getAlertSettings: async () => ({}),
  updateAlertSettings: async () => ({
    body: { BACKUP_FAILED: { email: false, channel: true, dashboard: true } },
  }),
  listBackups: ofNewServer,
  createBackup: async (owner) => ({
    ...(await ofNewServer(owner)),
    body: { name: 'Before', components: ['roles', 'messages'], messagesPerChannel: 5 },
  }),
  getBackup: createBackup,
  deleteBackup: createBackup,
  acceptHealth: ofNewServer,
  getBackupContents: async (owner) => ({ params: await findCompletedBackup(owner) }),
  compareBackup: async (owner) => {
    const params = await findCompletedBackup(owner);
    return { params, query: { with: params.backupId ?? '' } };
  },
  planRestore: ofCompletedBackup,
  restoreBackup: ofCompletedBackup,
  getRestore: createRestore,
  cancelRestore: createRestore,
  listPulls: ofNewServer,
  createPull: async (owner) => ({
    ...(await ofNewServer(owner)),
    body: {
      targetServerId: await createServer(owner),
      roleId: randomPlatformId(),
      limit: 5,
      memberIds: [newId()],
    },
  }),
  getPull: createPull,
  cancelPull: createPull,
  resumePull: (owner) => storeStoppedPull(owner, 'cancelled', null),
  recallPull: (owner) => storeStoppedPull(owner, 'completed', 'tokenInvalid'),
  listMembers: async (owner) => ({
    ...(await ofNewServer(owner)),
    query: { search: 'otter', pullable: 'true', page: '1', limit: '5' },
  }),
  listFirewallRules: ofNewServer,
  createFirewallRule: async (owner) => ({
    ...(await ofNewServer(owner)),
    body: { type: 'IP', value: '203.0.113.0/24', note: 'spam' },
  }),
  deleteFirewallRule: (owner) => createRule(owner, 'firewall'),
  listWhitelistRules: ofNewServer,
  createWhitelistRule: async (owner) => ({
    ...(await ofNewServer(owner)),
    body: { type: 'USER_ID', value: '42', note: 'friend' },
  }),
  deleteWhitelistRule: (owner) => createRule(owner, 'whitelist'),
  createBlacklistEntry: async (owner) => ({
    ...(await ofNewServer(owner)),
    body: { platformId: randomPlatformId(), reason: 'spam' },
  }),
  listBlacklist: async () => ({ query: { page: '1', limit: '5' } }),
  deleteBlacklistEntry: async (owner) => {
    const id = await createServer(owner);
    const reply = await owner.call('POST', `${apiPrefix}/servers/${id}/blacklist`, {
      body: { platformId: randomPlatformId() },
    });
    return { query: { entryId: reply.body.data.id } };
  },
  listKeys: async () => ({ query: { page: '1', limit: '5' } }),
  createKey: async () => ({
    body: { name: 'ci', scopes: ['servers:read'], expiresAt: '2199-01-01T00:00:00.000Z' },
  }),
  deleteKey: async (owner) => {
    const reply = await owner.call('POST', `${apiPrefix}/keys`, {
      body: { name: 'short-lived', scopes: ['api-keys:write'] },
    });
    return { params: { id: reply.body.data.id } };
  },
  listListings: async () => ({ query: { category: 'DESIGN', sort: 'popular', limit: '5' } }),
  createListing: async (owner) => ({
    body: listingBody({
      category: 'TEMPLATE',
      backupId: (await findCompletedBackup(owner)).backupId,
      published: true,
    }),
  }),
  updateListing: async (owner) => ({
    params: { id: (await createListing(owner)).id },
    body: listingBody({ title: 'A better figurehead', published: false }),
  }),
  listOrders: async () => ({ query: { page: '1', limit: '5' } }),
  createOrder: async (owner) => ({
    body: {
      listingId: await insertListing(owner),
      serverId: await createServer(owner),
      quantity: 2,
      payWith: 'BALANCE',
      maxTotalCents: 5000,
    },
  }),
  getOrder: (owner) => createOrder(owner, 0),
  cancelOrder: (owner) => createOrder(owner, 500),
  deliverOrder: async (owner) => ({
    ...(await insertOrder(owner, { sellerId: owner.accountId })),
    body: { delivered: 1 },
  }),
  confirmOrder: (owner) => insertOrder(owner, { buyerId: owner.accountId }),
  createPayout: async (owner) => {
    await credit(owner, 100);
    return { body: { amountCents: 100 } };
  },
  listLedger: async () => ({ query: { page: '1', limit: '5' } }),
  listBillingEvents: async () => ({ query: { page: '1', limit: '5' } }),
  createInvoice: async () => ({ body: { plan: 'PREMIUM', payWith: 'CARD' } }),
  listAudit: async () => ({ query: { page: '1', limit: '5' } }),
};

/** Sends a sample to its endpoint, with the caller's key. */
export const send = (
  caller: Pick<Tenant, 'call'>,
  name: EndpointName,
  sample: Sample,
  options: CallOptions = {},
) => {
  const { method, path } = endpoints[name];
  const filled = path.replace(/:(\w+)/g, (_, param: string) => sample.params?.[param] ?? '');
  const query = new URLSearchParams(sample.query).toString();
  return caller.call(method, `${apiPrefix}${filled}${query && `?${query}`}`, {
    ...(sample.body && { body: sample.body }),
    ...options,
  });
};
