import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Entry } from '../../../test/harness/api-calls.ts';
import { createServer } from '../../../test/harness/bots-and-servers.ts';
import {
  type DashboardFixture,
  signInToDashboard,
  startDashboardFixture,
} from '../../../test/harness/dashboard/fixture.ts';
import { verifyChain } from './chain/verify-chain.ts';
import { recordAudit } from './queries.ts';
import { entryHash } from './rules.ts';
import { auditEntries, auditHeads } from './table.ts';

let fixture: DashboardFixture;
beforeAll(async () => {
  fixture = await startDashboardFixture();
});
afterAll(() => fixture.service.stop());

/** Somebody who did things here and by a key, and to whom things were done. */
const busyOwner = async () => {
  const tenant = await fixture.service.newTenant();
  const { browser } = await signInToDashboard(fixture, tenant.platformId);
  const serverId = await createServer(tenant);
  const rule = { type: 'ASN', value: '64500' };
  await browser.call('POST', `/servers/${serverId}/firewall`, { body: rule });
  await browser.call('PUT', `/servers/${serverId}`, { body: { name: 'Renamed' } });
  const find = async (query: string) => {
    const { status, body } = await browser.call('GET', `/audit/entries?${query}`);
    return {
      status,
      actions: body.data?.map(({ action }: Entry) => action),
      total: body.pagination?.total,
    };
  };
  return { tenant, browser, find };
};

describe('finding entries', () => {
  test('by who, by what and on what, newest first', async () => {
    const { find } = await busyOwner();
    const all = ['server.update', 'firewallRule.create', 'server.create', 'bot.create'];
    expect((await find('')).actions).toEqual([...all, 'key.create']);
    expect((await find('actorType=USER')).actions).toEqual([
      'server.update',
      'firewallRule.create',
    ]);
    expect((await find('actorType=KEY')).actions).toEqual(['server.create', 'bot.create']);
    expect((await find('actorType=SYSTEM')).actions).toEqual(['key.create']);
    expect((await find('subjectType=server')).actions).toEqual(['server.update', 'server.create']);
    expect((await find('action=server.create')).actions).toEqual(['server.create']);
    expect((await find('action=server.')).actions).toEqual(['server.update', 'server.create']);
    expect((await find('action=server')).actions).toEqual([]);
    expect((await find('action=%25')).actions).toEqual([]);
    expect(await find('subjectType=server&actorType=USER')).toEqual({
      status: 200,
      actions: ['server.update'],
      total: 1,
    });
  });

  test('shows each as the list does, page by page, and counts those that fit', async () => {
    const { browser } = await busyOwner();
    const list = (await browser.call('GET', '/audit')).body.data;
    const fitting = list.filter(({ action }: Entry) => action.startsWith('server.'));
    for (const page of [1, 2, 3]) {
      const { body } = await browser.call(
        'GET',
        `/audit/entries?action=server.&limit=1&page=${page}`,
      );
      expect(body.data).toEqual(fitting.slice(page - 1, page));
      expect(body.pagination).toEqual({ page, limit: 1, total: 2, totalPages: 2 });
    }
  });

  test('shows none of another account', async () => {
    await busyOwner();
    const { browser } = await signInToDashboard(fixture);
    expect((await browser.call('GET', '/audit/entries?actorType=USER')).body.data).toEqual([]);
  });

  test.each([
    'actorType=NOBODY',
    'subjectType=',
    'action=',
    'limit=101',
    `action=${'a'.repeat(65)}`,
  ])('by %s is refused', async (query) => {
    const { browser } = await signInToDashboard(fixture);
    expect((await browser.call('GET', `/audit/entries?${query}`)).status).toBe(400);
  });
});

describe('a long log', () => {
  /** As many entries as that, properly linked; written at once, since one by one would take long. */
  const longLog = async (count: number) => {
    const { browser, accountId } = await signInToDashboard(fixture);
    let prevHash = '0'.repeat(64);
    const rows = Array.from({ length: count }, (_, index) => {
      const who = { accountId, actorType: 'SYSTEM' as const, actorId: null };
      const what = { action: 'server.update', subjectType: 'server', subjectId: null, changes: {} };
      const entry = { ...who, ...what, seq: index + 1, id: crypto.randomUUID(), at, prevHash };
      prevHash = entryHash(entry);
      return { ...entry, hash: prevHash };
    });
    await fixture.service.db.insert(auditEntries).values(rows);
    await fixture.service.db.insert(auditHeads).values({ accountId, seq: count, hash: prevHash });
    return { browser, accountId };
  };
  const at = new Date('2026-01-31T12:00:00.000Z');
  const verify = async (browser: Awaited<ReturnType<typeof longLog>>['browser'], after: number) =>
    (await browser.call('GET', `/audit/verification?after=${after}`)).body.data;

  test('is searched as far back as 100,000 entries', async () => {
    const { browser, accountId } = await signInToDashboard(fixture);
    const sql = fixture.service.db.$client;
    await sql`
      insert into audit_entries (account_id, seq, id, at, actor_type, action, subject_type, changes, prev_hash, hash)
      select ${accountId}, seq, gen_random_uuid(), now(), 'SYSTEM',
        case when seq = 1 then 'server.create' else 'server.update' end, 'server', '{}', '', ''
      from generate_series(1, 100001) seq`;
    await sql`insert into audit_heads (account_id, seq, hash) values (${accountId}, 100001, '')`;
    const totalOf = async (action: string) =>
      (await browser.call('GET', `/audit/entries?action=${action}`)).body.pagination.total;
    expect([await totalOf('server.update'), await totalOf('server.create')]).toEqual([100_000, 0]);
    expect(await totalOf('server.')).toBe(100_000);
    for (const filter of ['', '&actorType=SYSTEM']) {
      const read = async (page: number) =>
        (await browser.call('GET', `/audit/entries?limit=30&page=${page}${filter}`)).body;
      const last = await read(3334);
      expect([last.data.length, last.pagination.total]).toEqual([10, 100_000]);
      expect((await read(3335)).data).toEqual([]);
    }
  });

  test('is verified in parts that follow each other', async () => {
    const { browser, accountId } = await longLog(2500);
    const part = (after: number) =>
      verifyChain(fixture.service.db, accountId, { after, most: 1000 });
    expect(await part(0)).toEqual({ entries: 1000, intact: true, hasMore: true });
    expect(await part(1000)).toEqual({ entries: 2000, intact: true, hasMore: true });
    expect(await part(2000)).toEqual({ entries: 2500, intact: true });
    expect(await verify(browser, 0)).toEqual({
      ...{ entries: 2500, intact: true, fault: null, isFinished: true },
    });
    await fixture.service.db.$client`
      update audit_entries set action = 'bot.create' where account_id = ${accountId} and seq = 1500`;
    expect(await part(0)).toMatchObject({ intact: true, hasMore: true });
    expect(await verify(browser, 1000)).toEqual({
      ...{ entries: 1499, intact: false, isFinished: true },
      fault: { seq: 1500, reason: 'altered' },
    });
  });

  test('that was cut off is found by the part that should have followed', async () => {
    const { browser } = await longLog(3);
    expect(await verify(browser, 3)).toMatchObject({ entries: 3, intact: true, isFinished: true });
    expect(await verify(browser, 4)).toMatchObject({
      intact: false,
      fault: { seq: 4, reason: 'entry missing' },
    });
  });

  test.each(['x', '-1', '1.5', '1e3', '9'.repeat(16)])(
    'is not verified after %s',
    async (after) => {
      const { browser } = await signInToDashboard(fixture);
      const { status } = await browser.call('GET', `/audit/verification?after=${after}`);
      expect(status).toBe(400);
    },
  );

  test('that has just begun is verified', async () => {
    const { browser, accountId } = await signInToDashboard(fixture);
    expect(await verify(browser, 0)).toMatchObject({ entries: 0, intact: true, isFinished: true });
    const subject = { type: 'server', id: null };
    await fixture.service.db.transaction((tx) =>
      recordAudit(tx, {
        accountId,
        actor: { type: 'USER', id: accountId },
        action: 'server.update',
        subject,
      }),
    );
    expect(await verify(browser, 0)).toMatchObject({ entries: 1, intact: true });
  });
});
