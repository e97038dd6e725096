import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createServer, fillServer, ownerOf } from '../../../test/harness/bots-and-servers.ts';
import { startTestService, type Tenant, type TestService } from '../../../test/harness/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ doesWork: true });
});
afterAll(() => service.stop());

const path = '/api/v1/servers';
const read = (tenant: Tenant, id: string) => tenant.call('GET', `${path}/${id}`);
const update = (tenant: Tenant, id: string, body: object) =>
  tenant.call('PUT', `${path}/${id}`, { body });
const remove = (tenant: Tenant, id: string) => tenant.call('DELETE', `${path}/${id}`);
const statusesOf = (replies: { status: number }[]) => replies.map(({ status }) => status).sort();

describe('a deleted server', () => {
  const rowsLeft = async (id: string): Promise<number> => {
    const [left] = await service.db.$client`select
      (select count(*) from servers where id = ${id})
      + (select count(*) from members where server_id = ${id})
      + (select count(*) from member_counts where server_id = ${id})
      + (select count(*) from firewall_rules where server_id = ${id})
      + (select count(*) from whitelist_rules where server_id = ${id}) as total`;
    return Number(left.total);
  };

  const untilPurged = async (id: string) => {
    const deadline = Date.now() + 15_000;
    while ((await rowsLeft(id)) > 0 && Date.now() < deadline) await Bun.sleep(50);
    expect(await rowsLeft(id)).toBe(0);
  };

  test('is invisible at once, and its slot and guild are available again', async () => {
    const { owner, id } = await ownerOf(service, 'FREE');
    const { platformGuildId } = (await read(owner, id)).body.data;
    await fillServer(service, owner, id, 10);
    const deleted = await remove(owner, id);
    expect(deleted.status).toBe(200);
    expect(deleted.body).toEqual({ data: { id, deleted: true } });
    const rule = { body: { type: 'ASN', value: '1' } };
    const answers = await Promise.all([
      read(owner, id),
      update(owner, id, { name: 'Back' }),
      remove(owner, id),
      ...['members', 'firewall', 'whitelist'].map((list) =>
        owner.call('GET', `${path}/${id}/${list}`),
      ),
      owner.call('POST', `${path}/${id}/whitelist`, rule),
      owner.call('POST', `${path}/${id}/blacklist`, { body: { platformId: '1' } }),
    ]);
    expect(statusesOf(answers)).toEqual(Array(8).fill(404));
    expect((await owner.call('GET', path)).body.pagination.total).toBe(0);
    expect((await owner.call('GET', '/api/v1/account')).body.data._count.servers).toBe(0);
    const again = await createServer(owner, { platformGuildId });
    expect((await read(owner, again)).body.data._count.members).toBe(0);
  });

  test('is purged with all its rows, and no other server is affected', async () => {
    const { owner, id } = await ownerOf(service);
    const kept = await createServer(owner);
    await fillServer(service, owner, id, 4100);
    await fillServer(service, owner, kept, 25);
    const before = (await read(owner, kept)).body.data;
    await remove(owner, id);
    await untilPurged(id);
    expect((await read(owner, kept)).body.data).toEqual(before);
    expect((await owner.call('GET', `${path}/${kept}/members`)).body.pagination.total).toBe(25);
  });

  test('is deleted once, however many ask at once', async () => {
    const { owner, id } = await ownerOf(service);
    const replies = await Promise.all(Array.from({ length: 8 }, () => remove(owner, id)));
    expect(statusesOf(replies)).toEqual([200, ...Array(7).fill(404)]);
  });

  test('is deleted amid a stream of new rules, and leaves none of them behind', async () => {
    const { owner, id } = await ownerOf(service);
    let hasAnswer = false;
    const addRulesUntilAnswer = async (list: string, from: number): Promise<number> => {
      for (let value = from; ; value++) {
        const isLast = hasAnswer;
        const body = { type: 'ASN', value: String(value) };
        const { status } = await owner.call('POST', `${path}/${id}/${list}`, { body });
        if (isLast || status !== 201) return status;
      }
    };
    const stream = Array.from({ length: 8 }, (_, i) =>
      addRulesUntilAnswer(i % 2 ? 'firewall' : 'whitelist', i * 1e6),
    );
    await Bun.sleep(50);
    const deletion = await remove(owner, id);
    hasAnswer = true;
    expect(await Promise.all(stream)).toEqual(Array(8).fill(deletion.status === 200 ? 404 : 201));
    expect(deletion.status).toBe(200);
    await untilPurged(id);
  });
});
