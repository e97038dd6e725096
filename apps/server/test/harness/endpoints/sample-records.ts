import { apiPrefix, type EndpointName, endpoints, type PullResult } from '@holdfast/contract';
import { findOrCreateAccount } from '../../../src/features/accounts/queries.ts';
import { orders } from '../../../src/features/marketplace/table.ts';
import { pullMembers, pulls } from '../../../src/features/pulls/table.ts';
import { appeals } from '../../../src/features/verification/table.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { createServer } from '../bots-and-servers.ts';
import { eventually } from '../eventually.ts';
import { insertListing, placeOrder } from '../marketplace/fixture.ts';
import { insertMembers } from '../members.ts';
import { storeGoodBackup, storeIncident } from '../protection.ts';
import { type CallOptions, type OwnTenant, randomPlatformId, type Tenant } from '../service.ts';
import { sharedSimulator } from '../simulator/start.ts';

/** A request that its endpoint accepts from the tenant it was made for. */
export type Sample = {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: Record<string, unknown>;
  /** Sent as the form of an upload. */
  file?: File;
};

export const createRule = async (
  owner: Tenant,
  list: 'firewall' | 'whitelist',
): Promise<Sample> => {
  const id = await createServer(owner);
  const reply = await owner.call('POST', `${apiPrefix}/servers/${id}/${list}`, {
    body: { type: 'ASN', value: '64500' },
  });
  return { params: { id }, query: { ruleId: reply.body.data.id } };
};

export const createBackup = async (owner: Tenant): Promise<Sample> => {
  const id = await createServer(owner);
  const reply = await owner.call('POST', `${apiPrefix}/servers/${id}/backups`);
  return { params: { id, backupId: reply.body.data.id } };
};

const completedBackups = new WeakMap<Tenant, Promise<Required<Sample>['params']>>();

/** One for each account: taking a backup takes a while. */
export const findCompletedBackup = (owner: Tenant) => {
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

export const ofCompletedBackup = async (owner: Tenant): Promise<Sample> => ({
  params: await findCompletedBackup(owner),
  body: { components: ['roles'], targetServerId: await createServer(owner) },
});

export const createRestore = async (owner: Tenant): Promise<Sample> => {
  const reply = await send(owner, 'restoreBackup', await ofCompletedBackup(owner));
  return { params: { id: reply.body.data.id } };
};

/** A pull of one member that has stopped. */
export const storeStoppedPull = async (
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

export const createPull = async (owner: Tenant): Promise<Sample> => {
  const reply = await owner.call('POST', `${apiPrefix}/servers/${await createServer(owner)}/pull`);
  return { params: { id: reply.body.data.id } };
};

export const ofServerWithRole = async (owner: Tenant) => ({
  params: { id: await createServer(owner, { verifiedRoleId: randomPlatformId() }) },
});

export const createMassVerification = async (owner: Tenant): Promise<Sample> => {
  const { params } = await ofServerWithRole(owner);
  const reply = await owner.call('POST', `${apiPrefix}/servers/${params.id}/mass-verify`);
  return { params: { id: reply.body.data.id } };
};

const panelContent = { title: 'Welcome', text: 'Hi.', color: 2718600, buttonText: 'Verify' };

/** For a server whose guild has the channel. */
export const newPanel = async (owner: Tenant) => {
  const [platformGuildId, channelId] = [randomPlatformId(), randomPlatformId()];
  const simulator = await sharedSimulator();
  const channels = [{ id: channelId, name: 'hall' }];
  await simulator.control('PUT', `/guilds/${platformGuildId}`, { channels });
  const id = await createServer(owner, { platformGuildId });
  return { params: { id }, body: { channelId, ...panelContent } };
};

export const createPanel = async (owner: Tenant): Promise<Sample> => {
  const { params, body } = await newPanel(owner);
  const reply = await owner.call('POST', `${apiPrefix}/servers/${params.id}/panels`, { body });
  return { params: { ...params, panelId: reply.body.data.id } };
};

/** Appeals are made on a page, by people without a key. */
export const createAppeal = async (owner: OwnTenant): Promise<Sample> => {
  const [id, appealId] = [await createServer(owner), newId()];
  const person = { platformId: randomPlatformId(), username: 'deckhand' };
  const row = { id: appealId, accountId: owner.accountId, serverId: id, ...person };
  await owner.db.insert(appeals).values({ ...row, reason: 'VPN', message: 'It is my school.' });
  return { params: { id, appealId } };
};

/** Of somebody else, who gives it away; what is paid later is by card. */
export const createOrder = async (owner: OwnTenant, priceCents: number): Promise<Sample> => {
  const listingId = await insertListing(owner, { priceCents });
  const reply = await placeOrder(owner, listingId);
  return { params: { id: reply.body.data.id } };
};

export const insertOrder = async (
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

export const ofNewIncident = async (owner: OwnTenant): Promise<Sample> => {
  const { id } = await storeIncident(owner, await createServer(owner));
  return { params: { id } };
};

/** Of a server with a good backup, as far as the database says. */
export const ofRepairableIncident = async (owner: OwnTenant): Promise<Sample> => {
  const serverId = await createServer(owner);
  const { id } = await storeIncident(owner, serverId);
  await storeGoodBackup(owner, serverId);
  return { params: { id } };
};

/** Of a server whose good backup can be read. */
export const ofPlannableIncident = async (owner: OwnTenant): Promise<Sample> => {
  const { id: serverId = '' } = await findCompletedBackup(owner);
  const { id } = await storeIncident(owner, serverId, { incident: { firstActAt: new Date() } });
  return { params: { id } };
};

export const ofNewServer = async (owner: Tenant) => ({ params: { id: await createServer(owner) } });

/** A form as `POST /uploads` takes it. */
export const formWith = (...files: (File | string)[]): FormData => {
  const form = new FormData();
  for (const file of files) form.append('file', file);
  return form;
};

/** A red PNG of one pixel. */
export const smallPicture = (): File =>
  new File(
    [
      Buffer.from(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
        'base64',
      ),
    ],
    'picture.png',
  );

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
    ...(sample.file && { raw: formWith(sample.file) }),
    ...options,
  });
};
