import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { auditOf } from '../../../../test/harness/api-calls.ts';
import { botRow, createBot, newBotBody } from '../../../../test/harness/bots-and-servers.ts';
import {
  startTestService,
  type Tenant,
  type TestService,
} from '../../../../test/harness/service.ts';
import { openCredential } from './credentials.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const path = '/api/v1/bots';
const create = (tenant: Tenant, body: object) => tenant.call('POST', path, { body });
const update = (tenant: Tenant, id: string, body: object) =>
  tenant.call('PUT', `${path}/${id}`, { body });

describe('token and secret', () => {
  const secrets = () => {
    const mark = crypto.randomUUID();
    return { botToken: `token-${mark}`, clientSecret: `secret-${mark}`, mark };
  };

  /** In how many rows of any table the text stands. */
  const rowsHolding = async (text: string): Promise<number> => {
    const { $client: client } = service.db;
    const tables = await client`
      select format('%I.%I', schemaname, tablename) as name
      from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`;
    let rows = 0;
    for (const { name } of tables) {
      const holding = `select 1 from ${name} as row where strpos(row::text, $1) > 0`;
      rows += (await client.unsafe(holding, [text])).length;
    }
    return rows;
  };

  test('are in no answer, no log line and no row, but can be opened with the ring', async () => {
    const tenant = await service.newTenant();
    const { mark, ...first } = secrets();
    const { mark: nextMark, ...next } = secrets();
    const headers = { 'idempotency-key': 'once' };
    const body = newBotBody(first);
    const created = await tenant.call('POST', path, { body, headers });
    const { id } = created.body.data;
    expect(openCredential(service.ring, await botRow(service.db, id), 'botToken').reveal()).toBe(
      first.botToken,
    );
    const changed = await update(tenant, id, next);
    const row = await botRow(service.db, id);
    expect(openCredential(service.ring, row, 'botToken').reveal()).toBe(next.botToken);
    expect(openCredential(service.ring, row, 'clientSecret').reveal()).toBe(next.clientSecret);

    const answers = [
      created,
      changed,
      await tenant.call('POST', path, { body, headers }),
      await create(tenant, body),
      await tenant.call('GET', path),
      await tenant.call('GET', '/api/v1/audit'),
      await create(tenant, newBotBody({ ...first, clientId: 7 })),
    ];
    const shown = [...answers.map(({ text }) => text), ...service.logLines].join('\n');
    expect(shown).not.toContain(mark);
    expect(shown).not.toContain(nextMark);
    expect(await rowsHolding(body.clientId)).toBeGreaterThan(0);
    expect([await rowsHolding(mark), await rowsHolding(nextMark)]).toEqual([0, 0]);
  });

  test('that changed are audited without their values', async () => {
    const tenant = await service.newTenant();
    await update(tenant, await createBot(tenant), { botToken: 'another token' });
    const [entry] = (await auditOf(tenant)).data;
    expect(Object.keys(entry.changes)).toEqual(['botToken']);
    expect(JSON.stringify(entry)).not.toMatch(/token-value|another token/);
  });

  test('stay what they are when something else is changed', async () => {
    const tenant = await service.newTenant();
    const { mark: _, ...kept } = secrets();
    const id = await createBot(tenant, kept);
    await update(tenant, id, { name: 'Renamed', clientSecret: 'new' });
    const row = await botRow(service.db, id);
    expect(openCredential(service.ring, row, 'botToken').reveal()).toBe(kept.botToken);
    expect(openCredential(service.ring, row, 'clientSecret').reveal()).toBe('new');
  });
});
