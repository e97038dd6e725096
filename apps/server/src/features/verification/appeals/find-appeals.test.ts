import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createServer } from '../../../../test/harness/bots-and-servers.ts';
import {
  type DashboardFixture,
  signInToDashboard,
  startDashboardFixture,
} from '../../../../test/harness/dashboard/fixture.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import { newId } from '../../../kernel/ids.ts';
import { appeals } from '../table.ts';

let fixture: DashboardFixture;
beforeAll(async () => {
  fixture = await startDashboardFixture();
});
afterAll(() => fixture.service.stop());

const ownerWithAppeals = async (usernames: string[]) => {
  const tenant = await fixture.service.newTenant();
  const { browser } = await signInToDashboard(fixture, tenant.platformId);
  const serverId = await createServer(tenant);
  for (const username of usernames) {
    const person = { platformId: randomPlatformId(), username, message: 'It is my school.' };
    const row = { id: newId(), accountId: tenant.accountId, serverId, reason: 'VPN' as const };
    await fixture.service.db.insert(appeals).values({ ...row, ...person });
  }
  const path = `/servers/${serverId}/appeals`;
  const find = async (query: string) => (await browser.call('GET', `${path}/found?${query}`)).body;
  return { browser, path, find };
};

type Found = { id: string; username: string };
const names = (found: Found[]) => found.map(({ username }) => username);

test('open appeals are listed apart from decided ones', async () => {
  const { browser, path, find } = await ownerWithAppeals(['ann', 'ben', 'cas']);
  const { data } = await find('isOpen=true');
  expect(names(data)).toEqual(['cas', 'ben', 'ann']);
  const decide = (found: Found, decision: string) =>
    browser.call('POST', `${path}/${found.id}`, { body: { decision } });
  await decide(data[0], 'ACCEPT');
  await decide(data[2], 'REJECT');
  const open = await find('isOpen=true');
  expect([names(open.data), open.pagination.total]).toEqual([['ben'], 1]);
  const decided = await find('isOpen=false&limit=1');
  expect([names(decided.data), decided.pagination.total]).toEqual([['cas'], 2]);
  expect(names((await browser.call('GET', path)).body.data)).toEqual(['cas', 'ben', 'ann']);
});

test('the request must say which of them to list', async () => {
  const { browser, path } = await ownerWithAppeals([]);
  for (const query of ['', '?isOpen=', '?isOpen=1', '?isOpen=true&isOpen=false']) {
    expect((await browser.call('GET', `${path}/found${query}`)).status).toBe(400);
  }
});

test('appeals of another owner are not found', async () => {
  const [{ path }, { browser }] = [await ownerWithAppeals(['ann']), await ownerWithAppeals([])];
  expect((await browser.call('GET', `${path}/found?isOpen=true`)).status).toBe(404);
});
