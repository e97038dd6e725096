import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { closeDatabase, connectDatabase, type Database } from '../../../src/db/connect.ts';
import { findRunningEmbeddedPostgres } from '../../../src/db/embedded/embedded.ts';
import { findTokens } from '../../../src/features/vault/queries.ts';
import { openToken } from '../../../src/features/vault/tokens/sealed.ts';
import { generateMasterKey, type KeyRing, parseKeyRing } from '../../../src/kernel/seal.ts';
import { createServer } from '../../harness/bots-and-servers.ts';
import { countsOf, newServer, type OwnedServer } from '../../harness/members.ts';
import { makeFolder, request, startService, stopServices } from '../../harness/running-service.ts';
import { randomPlatformId, startTestService, type TestService } from '../../harness/service.ts';
import { runAdmin } from '../../harness/service-process.ts';
import { startTestSimulator, type TestSimulator } from '../../harness/simulator/start.ts';

afterAll(stopServices);

type Member = { platform_id: string; bot_id: string | null; account_id: string };

const pullableOf = (db: Database, serverId: string): Promise<Member[]> =>
  db.$client`select account_id, bot_id, platform_id from members
    where server_id = ${serverId} and pullable`;

/** The token as it is kept, opened; throws where there is none. */
const tokenOf = async (db: Database, ring: KeyRing, member: Member): Promise<string> => {
  const owner = {
    accountId: member.account_id,
    botId: member.bot_id ?? '',
    platformId: member.platform_id,
  };
  const row = await findTokens(db, owner);
  if (!row) throw new Error('No tokens');
  expect(row.scopes).toEqual(['identify', 'guilds.join']);
  return openToken(ring, row, 'accessToken').reveal();
};

/** What the pretend platform answers a bot that brings this person into a guild. */
const bringBack = async (
  { url, guildId, botToken }: { url: string; guildId: string; botToken: string },
  person: { platformId: string; token: string },
): Promise<number> => {
  const path = `/api/v10/guilds/${guildId}/members/${person.platformId}`;
  const headers = { authorization: `Bot ${botToken}` };
  const body = { access_token: person.token };
  return (await request(url, 'PUT', path, { headers, body })).status;
};

describe('seeded where the platform is a simulator', () => {
  const masterKeys = generateMasterKey();
  let simulator: TestSimulator;
  let service: TestService;
  let place: OwnedServer;
  let env: Record<string, string>;

  beforeAll(async () => {
    simulator = await startTestSimulator();
    const ring = parseKeyRing(masterKeys);
    service = await startTestService({ platformApiUrl: simulator.apiUrl, ring });
    place = await newServer(service);
    env = {
      DATABASE_URL: service.databaseUrl,
      MASTER_KEYS: masterKeys,
      PLATFORM_API_URL: simulator.apiUrl,
    };
  });
  afterAll(async () => {
    await service.stop();
    await simulator.stop();
  });

  const seed = (serverId: string, more: string[] = [], changes: Record<string, string> = {}) => {
    const size = ['--count', '500', '--pullable', '400'];
    return runAdmin({ ...env, ...changes }, 'seed-members', '--server', serverId, ...size, ...more);
  };
  const tokensOf = async (serverId: string) => {
    const rows = await service.db.$client`select 1 from member_tokens join members
      on members.bot_id = member_tokens.bot_id and members.platform_id = member_tokens.platform_id
      where server_id = ${serverId}`;
    return rows.length;
  };

  test('every pullable member can be brought into a guild with the token they gave the server’s bot', async () => {
    const { serverId } = place;
    const { stdout, stderr, exitCode } = await seed(serverId);
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(JSON.parse(stdout)).toEqual({ serverId, seeded: 500, pullable: 400, tokens: 400 });
    expect(await countsOf(place)).toEqual([500, 400]);

    const [bot] = (await place.owner.call('GET', '/api/v1/bots')).body.data;
    const members = await pullableOf(service.db, serverId);
    expect(new Set(members.map((member) => member.bot_id))).toEqual(new Set([bot.id]));
    const botToken = `${btoa(bot.clientId)}.token-value`;
    const guild = { url: simulator.url, guildId: randomPlatformId(), botToken };
    const statuses = new Map<number, number>();
    for (const member of members) {
      const token = await tokenOf(service.db, service.ring, member);
      const status = await bringBack(guild, { platformId: member.platform_id, token });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect([...statuses]).toEqual([[201, 400]]);
  });

  test('the tokens are refreshed ahead of their end, not all at once', async () => {
    const rows = await service.db.$client`
      select refresh_at, expires_at from member_tokens where bot_id in
        (select bot_id from members where server_id = ${place.serverId})`;
    const days = rows.map(({ refresh_at }: { refresh_at: Date }) => refresh_at.toISOString());
    expect(new Set(days).size).toBeGreaterThan(300);
    for (const { refresh_at, expires_at } of rows) {
      expect(refresh_at.getTime()).toBeGreaterThan(Date.now() + 3 * 86_400_000);
      expect(refresh_at.getTime()).toBeLessThan(expires_at.getTime());
    }
  });

  test.each([
    ['without tokens on request', ['--tokens', 'no'], {}],
    ['without a simulator', [], { PLATFORM_API_URL: 'http://127.0.0.1:9/api' }],
  ])('%s, members are only listed as pullable', async (_, more, changes) => {
    const other = { owner: place.owner, serverId: await createServer(place.owner) };
    const { stdout } = await seed(other.serverId, more, changes);
    expect(JSON.parse(stdout)).toMatchObject({ seeded: 500, pullable: 400, tokens: 0 });
    expect(await countsOf(other)).toEqual([500, 400]);
    expect(await tokensOf(other.serverId)).toBe(0);
  });

  test('with a master key that is not the service’s nothing is stored', async () => {
    const other = { owner: place.owner, serverId: await createServer(place.owner) };
    const said = await seed(other.serverId, [], { MASTER_KEYS: generateMasterKey() });
    expect(said).toMatchObject({ exitCode: 1, stdout: '' });
    expect(said.stderr).toMatch(/^MASTER_KEYS .*\n$/);
    expect(await countsOf(other)).toEqual([0, 0]);
  });
});

describe('in local mode', () => {
  const nothingSet = { PLATFORM_API_URL: '', PLATFORM_CLIENT_ID: '', PLATFORM_CLIENT_SECRET: '' };
  let dataDir: string;
  let url: string;
  let db: Database;
  let ring: KeyRing;
  let server: { id: string; guildId: string };

  beforeAll(async () => {
    dataDir = await makeFolder();
    await startService({ ...nothingSet, DATA_DIR: dataDir });
    url = JSON.parse(await readFile(join(dataDir, 'simulator.pid'), 'utf8')).url;
    ring = parseKeyRing((await readFile(join(dataDir, 'master.keys'), 'utf8')).trim());
    const databaseUrl = (await findRunningEmbeddedPostgres(dataDir)) ?? '';
    db = connectDatabase(databaseUrl, { name: 'holdfast-fixture', poolSize: 1 });
    const [row] = await db.$client`select id, platform_guild_id from servers`;
    server = { id: row.id, guildId: row.platform_guild_id };
  });
  afterAll(() => closeDatabase(db));

  /** How many of the pullable members of the demo community can be brought into it. */
  const bringAllBack = async (): Promise<number> => {
    const [bot] = await db.$client`select client_id from bots`;
    const botToken = `${btoa(bot.client_id)}.demo.bot`;
    const limits = { default: { limit: 1000, perMs: 1000 }, global: { limit: 1000, perMs: 1000 } };
    await request(url, 'PUT', '/__sim/limits', { body: limits });
    const statuses: number[] = [];
    for (const member of await pullableOf(db, server.id)) {
      const person = { platformId: member.platform_id, token: await tokenOf(db, ring, member) };
      statuses.push(await bringBack({ url, guildId: server.guildId, botToken }, person));
    }
    // Joined, or there already: the platform says neither without a token that is good.
    return statuses.filter((status) => status === 201 || status === 204).length;
  };

  test('the pullable members of the demo community can be brought back', async () => {
    expect(await bringAllBack()).toBe(30);
  });

  test('the command finds the simulator of its data folder', async () => {
    const env = { ...nothingSet, DATA_DIR: dataDir };
    const size = ['--count', '20', '--pullable', '10'];
    const { stdout } = await runAdmin(env, 'seed-members', '--server', server.id, ...size);
    expect(JSON.parse(stdout)).toMatchObject({ seeded: 20, pullable: 10, tokens: 10 });
    expect(await bringAllBack()).toBe(40);
  });
});
