import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { firewallRules } from '../../../src/features/firewall/table.ts';
import { apiKeys } from '../../../src/features/keys/table.ts';
import { listings } from '../../../src/features/marketplace/table.ts';
import { whitelistRules } from '../../../src/features/whitelist/table.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { createServer } from '../../harness/bots-and-servers.ts';
import { listingBody } from '../../harness/marketplace/fixture.ts';
import {
  type OwnTenant,
  type Reply,
  startTestService,
  type TestService,
} from '../../harness/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const rowsOf = <Row>(count: number, rowOf: (index: number) => Row): Row[] =>
  Array.from({ length: count }, (_, index) => rowOf(index));

/** Ten at once where one more fits: one is made, and the others are told the bound. */
const expectOneOfTen = async (create: (index: number) => Promise<Reply>) => {
  const replies = await Promise.all(rowsOf(10, create));
  const refused = replies.filter(({ status }) => status !== 201);
  expect(refused.map(({ status }) => status)).toEqual(Array(9).fill(403));
  return refused.map(({ body }) => body.error);
};

const newKeyRow = (accountId: string, changes: Partial<typeof apiKeys.$inferInsert> = {}) => {
  const id = newId();
  const row = { id, accountId, name: 'ci', scopes: [], hash: id, lastFour: id.slice(-4) };
  return { ...row, ...changes };
};

describe('an account holds at most', () => {
  let owner: OwnTenant;
  beforeAll(async () => {
    owner = await service.newTenant();
  });

  test.each([
    ['firewall', firewallRules],
    ['whitelist', whitelistRules],
  ] as const)('1,000 %s rules a server, and another server has its own', async (list, table) => {
    const [serverId, otherId] = [await createServer(owner), await createServer(owner)];
    const { accountId } = owner;
    const ruleOf = (index: number) => ({
      ...{ id: newId(), accountId, serverId, type: 'ASN' as const, value: String(index + 1) },
    });
    await service.db.insert(table).values(rowsOf(999, ruleOf));
    const add = (id: string, value: number) =>
      owner.call('POST', `/api/v1/servers/${id}/${list}`, {
        body: { type: 'ASN', value: String(value) },
      });
    const errors = await expectOneOfTen((index) => add(serverId, 5000 + index));
    expect(errors[0]).toContain('1000');
    const listed = await owner.call('GET', `/api/v1/servers/${serverId}/${list}`);
    expect(listed.body.data).toHaveLength(1000);
    expect((await add(otherId, 1)).status).toBe(201);
  });

  test('100 live keys: neither revoked nor expired ones count', async () => {
    const { accountId } = owner;
    const past = { expiresAt: new Date(Date.now() - 1000) };
    const ended = rowsOf(5, () => newKeyRow(accountId, { revokedAt: new Date() }));
    const expired = rowsOf(5, () => newKeyRow(accountId, past));
    // The account's own key is the hundredth but one.
    const live = rowsOf(98, () => newKeyRow(accountId));
    await service.db.insert(apiKeys).values([...ended, ...expired, ...live]);
    const mint = () =>
      owner.call('POST', '/api/v1/keys', { body: { name: 'ci', scopes: ['servers:read'] } });
    await expectOneOfTen(mint);
    const revoked = await owner.call('DELETE', `/api/v1/keys/${live[0]?.id}`);
    expect(revoked.status).toBe(200);
    await expectOneOfTen(mint);
    const another = await service.newTenant();
    const body = { name: 'ci', scopes: ['servers:read'] };
    expect((await another.call('POST', '/api/v1/keys', { body })).status).toBe(201);
  });

  test('200 listings, of which those not published count too', async () => {
    const { accountId: sellerId } = owner;
    const listingOf = (index: number) => ({
      ...{ id: newId(), sellerId, title: 'A figurehead', description: '', currency: 'USD' },
      ...{ category: 'DESIGN' as const, priceCents: 100, isPublished: index % 2 === 0 },
    });
    await service.db.insert(listings).values(rowsOf(199, listingOf));
    const list = (published: boolean) =>
      owner.call('POST', '/api/v1/marketplace/listings', { body: listingBody({ published }) });
    await expectOneOfTen((index) => list(index % 2 === 0));
    expect((await list(false)).status).toBe(403);
  });
});
