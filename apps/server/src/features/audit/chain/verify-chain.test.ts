import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { and, eq } from 'drizzle-orm';
import { auditOf, blacklistSomeone, type Entry } from '../../../../test/harness/api-calls.ts';
import { createServer } from '../../../../test/harness/bots-and-servers.ts';
import { startTestService, type TestService } from '../../../../test/harness/service.ts';
import { entryHash } from '../rules.ts';
import { auditEntries } from '../table.ts';
import { verifyChain } from './verify-chain.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

describe('the chain', () => {
  /** An account with seven entries, all of them true. */
  const chainedTenant = async () => {
    const tenant = await service.newTenant();
    const serverId = await createServer(tenant);
    for (let made = 0; made < 4; made++) await blacklistSomeone(tenant, serverId);
    expect(await verifyChain(service.db, tenant.accountId)).toEqual({ entries: 7, intact: true });
    return tenant;
  };
  const entryOf = (accountId: string, seq: number) =>
    and(eq(auditEntries.accountId, accountId), eq(auditEntries.seq, seq));
  const readEntry = async (accountId: string, seq: number) => {
    const [entry] = await service.db.select().from(auditEntries).where(entryOf(accountId, seq));
    if (!entry) throw new Error('No such entry');
    return entry;
  };
  const expectBroken = async (accountId: string, seq: number) => {
    const report = await verifyChain(service.db, accountId);
    expect([report.intact, report.fault?.seq]).toEqual([false, seq]);
  };

  test('links every entry to the one before it, from the first on', async () => {
    const { data } = await auditOf(await chainedTenant());
    const linked = data.slice(0, -1).map(({ prevHash }: Entry) => prevHash);
    expect(linked).toEqual(data.slice(1).map(({ hash }: Entry) => hash));
    expect(data.at(-1).prevHash).toMatch(/^0{64}$/);
  });

  test('of 30 changes at once has no gap, no fork and no step back in time', async () => {
    const tenant = await service.newTenant();
    const serverId = await createServer(tenant);
    const replies = await Promise.all(
      Array.from({ length: 30 }, () => blacklistSomeone(tenant, serverId)),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]));
    expect(await verifyChain(service.db, tenant.accountId)).toEqual({ entries: 33, intact: true });
    const { data } = await auditOf(tenant);
    const times = data.map(({ at }: Entry) => at);
    expect(times).toEqual(times.toSorted().reverse());
  });

  test.each([
    ['at', { at: new Date(0) }],
    ['actor', { actorId: crypto.randomUUID() }],
    ['kind of actor', { actorType: 'SYSTEM' }],
    ['action', { action: 'bot.create' }],
    ['subject', { subjectId: crypto.randomUUID() }],
    ['kind of subject', { subjectType: 'bot' }],
    ['changes', { changes: { platformId: '1' } }],
    ['id', { id: crypto.randomUUID() }],
    ['hash', { hash: 'f'.repeat(64) }],
    ['link', { prevHash: 'f'.repeat(64) }],
  ] as const)('betrays an altered %s', async (_, altered) => {
    const { accountId } = await chainedTenant();
    await service.db.update(auditEntries).set(altered).where(entryOf(accountId, 4));
    await expectBroken(accountId, 4);
  });

  test.each([1, 4, 7])('betrays that entry %d of seven is missing', async (seq) => {
    const { accountId } = await chainedTenant();
    await service.db.delete(auditEntries).where(entryOf(accountId, seq));
    await expectBroken(accountId, seq);
  });

  test('betrays that all of it is missing', async () => {
    const { accountId } = await chainedTenant();
    await service.db.delete(auditEntries).where(eq(auditEntries.accountId, accountId));
    await expectBroken(accountId, 1);
  });

  test('betrays two entries that changed places', async () => {
    const { accountId } = await chainedTenant();
    const move = (from: number, to: number) =>
      service.db.update(auditEntries).set({ seq: to }).where(entryOf(accountId, from));
    await move(4, 0);
    await move(5, 4);
    await move(0, 5);
    await expectBroken(accountId, 4);
  });

  test.each([
    [4, 5],
    [7, 7],
  ])('betrays that entry %d was rewritten together with its hash', async (seq, betrayedAt) => {
    const { accountId } = await chainedTenant();
    const changes = { platformId: '1' };
    const hash = entryHash({ ...(await readEntry(accountId, seq)), changes });
    await service.db.update(auditEntries).set({ changes, hash }).where(entryOf(accountId, seq));
    await expectBroken(accountId, betrayedAt);
  });

  test('betrays that an entry was rewritten together with its hash and the link of the next', async () => {
    const { accountId } = await chainedTenant();
    const changes = { platformId: '1' };
    const hash = entryHash({ ...(await readEntry(accountId, 4)), changes });
    await service.db.update(auditEntries).set({ changes, hash }).where(entryOf(accountId, 4));
    await service.db.update(auditEntries).set({ prevHash: hash }).where(entryOf(accountId, 5));
    await expectBroken(accountId, 5);
  });

  test('hashes an entry the same way for ever', () => {
    const entry = {
      ...{ accountId: '11111111-1111-4111-8111-111111111111', seq: 2 },
      ...{ id: '22222222-2222-4222-8222-222222222222', at: new Date('2026-01-02T03:04:05.678Z') },
      ...{ actorType: 'KEY', actorId: '33333333-3333-4333-8333-333333333333' },
      ...{ action: 'server.update', subjectType: 'server' },
      ...{ subjectId: '44444444-4444-4444-8444-444444444444', prevHash: 'ab'.repeat(32) },
      changes: { name: { from: 'Harbour', to: 'Hafen' } },
    };
    expect(entryHash(entry)).toBe(
      '6cb6f0b8e56d8feedba1a0f349d3be5781c1ea255a701f5cbf7afadd4a5426a3',
    );
    expect(entryHash({ ...entry, prevHash: 'cd'.repeat(32) })).toBe(
      '7c59bdcd7bf8ee71ff5aca9c63a43301506fb2bd77c3875c9f66cce1a772a59a',
    );
  });

  test('betrays an entry that was put after its end', async () => {
    const { accountId } = await chainedTenant();
    const last = await readEntry(accountId, 7);
    const forged = { ...last, id: crypto.randomUUID(), seq: 8, prevHash: last.hash };
    await service.db.insert(auditEntries).values({ ...forged, hash: entryHash(forged) });
    expect(await verifyChain(service.db, accountId)).toMatchObject({ intact: false });
  });

  test('of one account says nothing about that of another', async () => {
    const [broken, whole] = [await chainedTenant(), await chainedTenant()];
    await service.db.delete(auditEntries).where(entryOf(broken.accountId, 3));
    expect(await verifyChain(service.db, whole.accountId)).toEqual({ entries: 7, intact: true });
  });
});
