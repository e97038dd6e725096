import { createHoldfast, type Holdfast } from '@holdfast/sdk';
import { newId } from '../../../src/kernel/ids.ts';
import { newBotBody } from '../bots-and-servers.ts';
import type { LocalService } from '../local-service.ts';
import { connectSql, createKey } from '../running-service.ts';
import { randomPlatformId } from '../service.ts';
import { storeDemoMonth } from './demo-month.ts';

export type FilledDemo = {
  holdfast: Holdfast;
  serverId: string;
  guildId: string;
  backupId: string;
  restoreId: string;
  pullId: string;
  orderId: string;
  listingId: string;
  sellerId: string;
  panelId: string;
};

/** The API with the key that the greeting of local mode shows. */
export const demoClient = ({ url, output }: LocalService): Holdfast => {
  const key = /Bearer (holdfast_\w+)/.exec(output())?.[1];
  if (!key) throw new Error('The greeting shows no key');
  return createHoldfast({ baseUrl: url, key });
};

/** The demo account with something of everything, all of it under the given name. */
export const fillDemo = async (service: LocalService, name: string): Promise<FilledDemo> => {
  const holdfast = demoClient(service);
  const [server] = (await holdfast.listServers()).data;
  if (!server) throw new Error('The demo has no server');
  const { id: serverId, platformGuildId: guildId } = server;
  await service.control('PUT', '/limits', { default: { limit: 1000, perMs: 1000 } });
  await renameGuild(service, guildId, name);
  await holdfast.updateServer({ params: { id: serverId }, body: { name } });
  const [jobs, market] = [
    await runJobs(holdfast, serverId, name),
    await fillMarket(service, holdfast, { serverId, name }),
  ];
  await fillLists(holdfast, serverId, name);
  const panelId = await postPanel(service, holdfast, { serverId, guildId, name });
  await leaveAppeal(service, serverId, name);
  await storeDemoMonth(service, serverId);
  await fetch(`${service.url}/verify/${serverId}`);
  return { holdfast, serverId, guildId, panelId, ...market, ...jobs };
};

/** The guild, a role of it and a channel of it. */
const renameGuild = async ({ control }: LocalService, guildId: string, name: string) => {
  const { guild, roles, channels, ...rest } = await control('GET', `/guilds/${guildId}`);
  const renamed = <Part extends { name: string }>(parts: Part[]): Part[] =>
    parts.map((part, at) => (at === parts.length - 1 ? { ...part, name } : part));
  const changed = { ...rest, roles: renamed(roles), channels: renamed(channels) };
  await control('PUT', `/guilds/${guildId}`, { ...changed, guild: { ...guild, name } });
};

const runJobs = async (holdfast: Holdfast, serverId: string, name: string) => {
  const params = { id: serverId };
  const begun = await holdfast.createBackup({ params, body: { name } });
  const { id: backupId } = await holdfast.waitForBackup(begun);
  const restore = await holdfast.restoreBackup({ params: { ...params, backupId } });
  const { id: restoreId } = await holdfast.waitForRestore(restore);
  const pull = await holdfast.waitForPull(await holdfast.createPull({ params }));
  return { backupId, restoreId, pullId: pull.id };
};

/** One listing of somebody else's, ordered and not paid, and one of one's own. */
const fillMarket = async (
  service: LocalService,
  holdfast: Holdfast,
  { serverId, name }: { serverId: string; name: string },
) => {
  const { key, accountId } = await createKey(service.databaseUrl);
  await connectSql(
    service.databaseUrl,
  )`update accounts set username = ${name} where id = ${accountId}`;
  const seller = createHoldfast({ baseUrl: service.url, key });
  const wares = { title: name, description: name, priceCents: 1500, currency: 'USD' } as const;
  const design = { ...wares, category: 'DESIGN' } as const;
  const { id: listingId } = await seller.createListing({ body: design });
  await holdfast.createListing({ body: design });
  const { id: orderId } = await holdfast.createOrder({ body: { listingId, serverId } });
  return { orderId, listingId, sellerId: accountId };
};

const fillLists = async (holdfast: Holdfast, serverId: string, name: string): Promise<void> => {
  const params = { id: serverId };
  const rule = { type: 'COUNTRY', value: 'AQ', note: name } as const;
  await holdfast.createFirewallRule({ params, body: rule });
  await holdfast.createWhitelistRule({ params, body: rule });
  const platformId = randomPlatformId();
  await holdfast.createBlacklistEntry({ params, body: { platformId, reason: name } });
  await holdfast.createBot({ body: newBotBody({ name }) });
  await holdfast.createKey({ body: { name, scopes: ['servers:read', 'backups:restore'] } });
};

const postPanel = async (
  { control }: LocalService,
  holdfast: Holdfast,
  { serverId, guildId, name }: { serverId: string; guildId: string; name: string },
): Promise<string> => {
  const { channels } = await control('GET', `/guilds/${guildId}`);
  const textChannel = 0;
  const { id: channelId } = channels.find(({ type }: { type: number }) => type === textChannel);
  const texts = { title: name, text: name, buttonText: name.slice(0, 80) };
  const body = { channelId, ...texts, color: 2718600 };
  return (await holdfast.createPanel({ params: { id: serverId }, body })).id;
};

const leaveAppeal = async (
  { databaseUrl }: LocalService,
  serverId: string,
  name: string,
): Promise<void> => {
  const sql = connectSql(databaseUrl);
  await sql`insert into appeals (id, account_id, server_id, platform_id, username, reason, message)
    select ${newId()}, account_id, id, ${randomPlatformId()}, ${name}, 'VPN', ${name}
    from servers where id = ${serverId}`;
  await sql`update members set username = ${name} where id =
    (select id from members where server_id = ${serverId} limit 1)`;
};
