import { SQL } from 'bun';
import type { Database } from '../../src/db/connect.ts';
import { searchTextOf } from '../../src/features/members/rules.ts';
import { members } from '../../src/features/members/table.ts';
import { createServer } from './bots-and-servers.ts';
import { freshDatabase } from './database.ts';
import { randomPlatformId, type Tenant, type TestService } from './service.ts';

/** A database in another time zone: days are counted in UTC all the same. */
export const databaseInAuckland = async (): Promise<string> => {
  const url = await freshDatabase();
  const client = new SQL(url, { max: 1 });
  const name = client(new URL(url).pathname.slice(1));
  await client`alter database ${name} set timezone to 'Pacific/Auckland'`.simple();
  await client.close();
  return url;
};

type Row = typeof members.$inferInsert;
export type OwnedServer = { owner: Tenant; serverId: string };

export const newServer = async (service: TestService, owner?: Tenant): Promise<OwnedServer> => {
  const tenant = owner ?? (await service.newTenant());
  return { owner: tenant, serverId: await createServer(tenant) };
};

let made = 0;
const memberOf = ({ owner, serverId }: OwnedServer, changes: Partial<Row> = {}): Row => {
  const { username = `member-${++made}`, displayName = null } = changes;
  return {
    id: crypto.randomUUID(),
    accountId: owner.accountId,
    serverId,
    platformId: randomPlatformId(),
    username,
    searchText: searchTextOf(username, displayName),
    ...changes,
  };
};

export const insertMembers = async (
  db: Database,
  server: OwnedServer,
  ...changes: Partial<Row>[]
): Promise<Row[]> => {
  const rows = changes.map((change) => memberOf(server, change));
  await db.insert(members).values(rows);
  return rows;
};

type Query = { page?: number; limit?: number; search?: string; pullable?: string };
export const listMembers = ({ owner, serverId }: OwnedServer, query: Query = {}) => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const parameters = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return owner.call('GET', `/api/v1/servers/${serverId}/members?${parameters}`);
};

export const namesIn = (reply: { body: { data: { username: string }[] } }) =>
  reply.body.data.map(({ username }) => username);

export const foundBy = async (server: OwnedServer, search: string) =>
  namesIn(await listMembers(server, { search })).sort();

export const countsOf = async ({ owner, serverId }: OwnedServer) => {
  const { _count } = (await owner.call('GET', `/api/v1/servers/${serverId}`)).body.data;
  return [_count.members, _count.pullableMembers];
};
