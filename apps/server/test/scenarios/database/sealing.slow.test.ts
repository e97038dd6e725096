import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { SQL } from 'bun';
import { resealCredentials } from '../../../src/features/bots/credentials/credentials.ts';
import { generateMasterKey, parseKeyRing, SealBroken } from '../../../src/kernel/seal.ts';
import { createBot } from '../../harness/bots-and-servers.ts';
import { freshDatabase } from '../../harness/database.ts';
import { eventually } from '../../harness/eventually.ts';
import {
  connectSql,
  createKey,
  makeFolder,
  makePlansFile,
  startService,
  stopServices,
  tenantAt,
} from '../../harness/running-service.ts';
import type { Tenant } from '../../harness/service.ts';
import { runStart, type ServiceProcess } from '../../harness/service-process.ts';

const [firstKey, secondKey, foreignKey] = Array.from({ length: 3 }, generateMasterKey) as [
  string,
  string,
  string,
];
const idOf = (masterKey: string): string => masterKey.split(':')[0] ?? '';
const bytesOf = (masterKey: string): string => masterKey.split(':')[1] ?? '';

type SealedBot = { owner: Tenant; id: string; botToken: string; clientSecret: string };

/** A bot whose credentials nobody else has. */
const sealBot = async (owner: Tenant): Promise<SealedBot> => {
  const secrets = {
    botToken: `token-${crypto.randomUUID()}`,
    clientSecret: `secret-${crypto.randomUUID()}`,
  };
  return { owner, id: await createBot(owner, secrets), ...secrets };
};

/** The service opens what is kept and finds it equal to what it is told: nothing has changed. */
const expectReadable = async (url: string, { owner, id, ...secrets }: SealedBot) => {
  const { call } = tenantAt(url, owner);
  // How a bot is connected changes by itself meanwhile; `updatedAt` only where something was given anew.
  const updatedAt = async () => {
    const { data } = (await call('GET', '/api/v1/bots')).body;
    return data.map((bot: { id: string; updatedAt: string }) => [bot.id, bot.updatedAt]);
  };
  const before = await updatedAt();
  const same = await call('PUT', `/api/v1/bots/${id}`, { body: secrets });
  expect(same.status).toBe(200);
  expect(await updatedAt()).toEqual(before);
};

const stop = async (service: ServiceProcess): Promise<void> => {
  service.kill('SIGTERM');
  expect(await service.exited).toBe(0);
};

describe('a ciphertext', () => {
  let service: ServiceProcess;
  let sql: SQL;
  let bots: [SealedBot, SealedBot, SealedBot];

  beforeAll(async () => {
    const env = { DATABASE_URL: await freshDatabase(), PLANS_FILE: await makePlansFile() };
    sql = connectSql(env.DATABASE_URL);
    service = await startService({ ...env, MASTER_KEYS: firstKey, ROLE: 'api' });
    const [mine, theirs] = [await createKey(env.DATABASE_URL), await createKey(env.DATABASE_URL)];
    const owner = tenantAt(service.url, mine);
    const stranger = tenantAt(service.url, theirs);
    bots = [await sealBot(owner), await sealBot(owner), await sealBot(stranger)];
  });
  afterAll(stopServices);

  const swapBetweenRows = async (one: SealedBot, other: SealedBot, column: string) => {
    await sql`
      update bots set ${sql(column)} = twin.sealed
      from (select id, ${sql(column)} as sealed from bots) twin
      where (bots.id = ${one.id} and twin.id = ${other.id})
         or (bots.id = ${other.id} and twin.id = ${one.id})`;
  };

  /** The right ring, the stored row, and yet nothing comes out: neither this secret nor another. */
  const expectRefusesToOpen = async ({ id }: SealedBot) => {
    const [row] = await sql`
      select id, account_id as "accountId", bot_token as "botToken", client_secret as "clientSecret"
      from bots where id = ${id}`;
    expect(() => resealCredentials(parseKeyRing(firstKey), row)).toThrow(SealBroken);
  };

  test('moved to another row of the same account or of another does not open there', async () => {
    const [first, second, foreign] = bots;
    for (const [one, other] of [
      [first, second],
      [first, foreign],
    ] as const) {
      for (const column of ['bot_token', 'client_secret']) {
        await swapBetweenRows(one, other, column);
        await expectRefusesToOpen(one);
        await expectRefusesToOpen(other);
        await swapBetweenRows(one, other, column);
      }
    }
    for (const bot of bots) await expectReadable(service.url, bot);
  });

  test('moved to the other column of its row does not open there', async () => {
    const [bot] = bots;
    const swap = () =>
      sql`update bots set bot_token = client_secret, client_secret = bot_token where id = ${bot.id}`;
    await swap();
    await expectRefusesToOpen(bot);
    await swap();
    await expectReadable(service.url, bot);
  });

  test('altered in one character does not open', async () => {
    const [bot] = bots;
    const [{ sealed }] = await sql`select bot_token as sealed from bots where id = ${bot.id}`;
    const altered = sealed.slice(0, -9) + (sealed.at(-9) === 'A' ? 'B' : 'A') + sealed.slice(-8);
    await sql`update bots set bot_token = ${altered} where id = ${bot.id}`;
    await expectRefusesToOpen(bot);
    await sql`update bots set bot_token = ${sealed} where id = ${bot.id}`;
    await expectReadable(service.url, bot);
  });

  test('that does not open leaves its bot usable, and is mended by giving it anew', async () => {
    const [bot] = bots;
    const { owner, id, botToken } = bot;
    await sql`update bots set bot_token = client_secret where id = ${id}`;
    const renamed = await owner.call('PUT', `/api/v1/bots/${id}`, { body: { name: 'Renamed' } });
    expect(renamed.status).toBe(200);
    await expectRefusesToOpen(bot);
    const mended = await owner.call('PUT', `/api/v1/bots/${id}`, { body: { botToken } });
    expect(mended.status).toBe(200);
    await expectReadable(service.url, bot);
  });
});

describe('the key ring', () => {
  let env: Record<string, string>;
  let sql: SQL;
  let bots: SealedBot[];

  beforeAll(async () => {
    env = { DATABASE_URL: await freshDatabase(), PLANS_FILE: await makePlansFile() };
    sql = connectSql(env.DATABASE_URL ?? '');
    const service = await startService({ ...env, MASTER_KEYS: firstKey, ROLE: 'api' });
    const owner = tenantAt(service.url, await createKey(env.DATABASE_URL ?? ''));
    bots = [await sealBot(owner), await sealBot(owner), await sealBot(owner)];
    await stop(service);
  });
  afterAll(stopServices);

  const expectRefusesToStart = async (ring: string) => {
    const { exitCode, stdout, stderr } = await runStart({ ...env, MASTER_KEYS: ring });
    expect(exitCode).toBe(1);
    expect(stdout).not.toContain('listens');
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).not.toContain(bytesOf(ring));
    return stderr;
  };

  test('from which a key in use was retired too early keeps the service from starting', async () => {
    expect(await expectRefusesToStart(secondKey)).toContain(idOf(firstKey));
  });

  test('of another installation does too, whatever its ids are', async () => {
    await expectRefusesToStart(foreignKey);
    await expectRefusesToStart(`${idOf(firstKey)}:${bytesOf(foreignKey)}`);
  });

  test('may be given a new first key: all is re-wrapped, and the old key can retire', async () => {
    const rotating = await startService({ ...env, MASTER_KEYS: `${secondKey},${firstKey}` });
    for (const bot of bots) await expectReadable(rotating.url, bot);
    await eventually(10_000, async () => {
      const rows = await sql`select seal_key_id, bot_token, client_secret from bots`;
      expect(rows).toHaveLength(bots.length);
      for (const row of rows) {
        expect(row.seal_key_id).toBe(idOf(secondKey));
        expect(row.bot_token).toStartWith(`s1.${idOf(secondKey)}.`);
        expect(row.client_secret).toStartWith(`s1.${idOf(secondKey)}.`);
      }
    });
    await stop(rotating);

    const retired = await startService({ ...env, MASTER_KEYS: secondKey });
    for (const bot of bots) await expectReadable(retired.url, bot);
    await stop(retired);
  });

  test('is rotated and started with although one bot was altered: the others are served', async () => {
    const [altered, ...whole] = bots as [SealedBot, ...SealedBot[]];
    await sql`update bots set bot_token = client_secret where id = ${altered.id}`;
    const rotating = await startService({ ...env, MASTER_KEYS: `${foreignKey},${secondKey}` });
    await eventually(10_000, async () => {
      const rows = await sql`select id from bots where seal_key_id = ${idOf(foreignKey)}`;
      expect(rows).toHaveLength(whole.length);
    });
    for (const bot of whole) await expectReadable(rotating.url, bot);
    await stop(rotating);
  });
});

describe('local mode', () => {
  afterAll(stopServices);

  test('makes its master key once, for its own eyes only, and keeps it', async () => {
    const env = {
      DATABASE_URL: await freshDatabase(),
      DATA_DIR: await makeFolder(),
      PLANS_FILE: await makePlansFile(),
    };
    const keyFile = join(env.DATA_DIR, 'master.keys');
    const first = await startService(env);
    const owner = tenantAt(first.url, await createKey(env.DATABASE_URL));
    const bot = await sealBot(owner);
    const made = await Bun.file(keyFile).text();
    expect(made).toMatch(/^[0-9a-f]{8}:[A-Za-z0-9+/]{43}=\n$/);
    expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
    await stop(first);

    const second = await startService(env);
    await expectReadable(second.url, bot);
    expect(await Bun.file(keyFile).text()).toBe(made);
    await stop(second);

    // With the file lost, a new key would open nothing: better not to start at all.
    await rm(keyFile);
    expect(await runStart(env)).toMatchObject({ exitCode: 1 });
  });
});
