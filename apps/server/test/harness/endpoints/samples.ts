import { apiPrefix, type EndpointName } from '@holdfast/contract';
import { newId } from '../../../src/kernel/ids.ts';
import { storeAlert } from '../alerts.ts';
import { smallDocument } from '../backups/small-document.ts';
import { ensureCardSubscription } from '../billing/card-subscription.ts';
import { createBot, createServer, newBotBody } from '../bots-and-servers.ts';
import { createListing, credit, insertListing, listingBody } from '../marketplace/fixture.ts';
import { storeIncident } from '../protection.ts';
import { type OwnTenant, randomPlatformId } from '../service.ts';
import {
  createAppeal,
  createBackup,
  createMassVerification,
  createOrder,
  createPanel,
  createPull,
  createRestore,
  createRule,
  findCompletedBackup,
  insertOrder,
  newPanel,
  ofCompletedBackup,
  ofNewIncident,
  ofNewServer,
  ofPlannableIncident,
  ofRepairableIncident,
  ofServerWithRole,
  type Sample,
  smallPicture,
  storeStoppedPull,
} from './sample-records.ts';

/** One for every endpoint: a new entry of the contract does not compile without its own. */
export const samples: Record<EndpointName, (owner: OwnTenant) => Promise<Sample>> = {
  getAccount: async () => ({}),
  createUpload: async () => ({ file: smallPicture() }),
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
  getVerifyPage: ofNewServer,
  updateVerifyPage: async (owner) => ({
    ...(await ofNewServer(owner)),
    body: { title: 'Ahoy', welcome: 'Come in.', accent: '#2f5d62', logoUploadId: null },
  }),
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
  getBackupDocument: async (owner) => ({
    params: await findCompletedBackup(owner),
    query: { people: 'true' },
  }),
  getBackupImages: async (owner) => ({ params: await findCompletedBackup(owner) }),
  storeBackupPiece: async (owner) => ({
    ...(await ofNewServer(owner)),
    body: { data: 'YWhveQ==' },
  }),
  importBackup: async (owner) => ({
    ...(await ofNewServer(owner)),
    body: { name: 'From a file', document: smallDocument },
  }),
  compareBackup: async (owner) => {
    const params = await findCompletedBackup(owner);
    return { params, query: { with: params.backupId ?? '' } };
  },
  planRestore: ofCompletedBackup,
  restoreBackup: ofCompletedBackup,
  getRestore: createRestore,
  cancelRestore: createRestore,
  getProtection: ofNewServer,
  updateProtection: async (owner) => ({
    ...(await ofNewServer(owner)),
    body: {
      ...{ antiNukeEnabled: true, antiRaidEnabled: true, autoRepair: true },
      thresholds: { bans: { count: 4, perSeconds: 60 }, kicks: { count: 9 } },
      raid: { joins: 10, minAccountAgeDays: 7 },
      trusted: [{ platformId: randomPlatformId(), note: 'a friend' }],
      disableDelayMinutes: 30,
    },
  }),
  listIncidents: async (owner) => {
    const id = await createServer(owner);
    await storeIncident(owner, id);
    return { params: { id }, query: { page: '1', limit: '5' } };
  },
  getIncident: ofNewIncident,
  planIncidentRepair: ofPlannableIncident,
  repairIncident: ofRepairableIncident,
  returnRoles: ofNewIncident,
  dismissIncident: ofNewIncident,
  takeBackDecision: async (owner) => {
    const sample = await ofNewIncident(owner);
    await owner.call('POST', `/api/v1/incidents/${sample.params?.id}/dismiss`);
    return sample;
  },
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
  listMassVerifications: ofNewServer,
  createMassVerification: async (owner) => ({
    ...(await ofServerWithRole(owner)),
    body: { joinedBefore: '2026-01-31T12:00:00.000Z', roleId: randomPlatformId() },
  }),
  getMassVerification: createMassVerification,
  cancelMassVerification: createMassVerification,
  listPanels: ofNewServer,
  createPanel: newPanel,
  updatePanel: async (owner) => ({ ...(await createPanel(owner)), body: { title: 'Ahoy' } }),
  deletePanel: createPanel,
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
  listListings: async () => ({
    query: { search: 'figurehead', category: 'DESIGN', sort: 'popular', limit: '5' },
  }),
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
  declineOrder: (owner) => insertOrder(owner, { sellerId: owner.accountId }),
  confirmOrder: (owner) => insertOrder(owner, { buyerId: owner.accountId }),
  createPayout: async (owner) => {
    await credit(owner, 100);
    return { body: { amountCents: 100 } };
  },
  listLedger: async () => ({ query: { page: '1', limit: '5' } }),
  listBillingEvents: async () => ({ query: { page: '1', limit: '5' } }),
  createInvoice: async () => ({ body: { plan: 'PREMIUM', payWith: 'CARD' } }),
  changeSubscription: async (owner) => {
    await ensureCardSubscription(owner);
    return { body: { plan: 'BUSINESS' } };
  },
  cancelSubscription: async (owner) => {
    await ensureCardSubscription(owner);
    return {};
  },
  resumeSubscription: async (owner) => {
    await ensureCardSubscription(owner);
    await owner.call('DELETE', '/api/v1/billing/subscription');
    return {};
  },
  listAudit: async () => ({ query: { page: '1', limit: '5' } }),
};
