import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  type DashboardScene,
  signInToDashboard,
  startDashboardScene,
} from '../../../test/dashboard-scene.ts';
import { createServer, randomPlatformId } from '../../../test/harness.ts';
import { newId } from '../../kernel/ids.ts';
import { appeals } from './table.ts';

let scene: DashboardScene;
beforeAll(async () => {
  scene = await startDashboardScene();
}, 60_000);
afterAll(() => scene.service.stop());

const ownerWithAppeals = async (usernames: string[]) => {
  const tenant = await scene.service.newTenant();
  const { browser } = await signInToDashboard(scene, tenant.platformId);
  const serverId = await createServer(tenant);
  for (const username of usernames) {
    const person = { platformId: randomPlatformId(), username, message: 'It is my school.' };
    const row = { id: newId(), accountId: tenant.accountId, serverId, reason: 'VPN' as const };
    await scene.service.db.insert(appeals).values({ ...row, ...person });
  }
  const path = `/servers/${serverId}/appeals`;
  const find = async (query: string) => (await browser.call('GET', `${path}/found?${query}`)).body;
  return { browser, path, find };
};

type Found = { id: string; username: string };
const names = (found: Found[]) => found.map(({ username }) => username);

test('open appeals are found apart from those that are decided', async () => {
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

test('which of them are wanted must be said', async () => {
  const { browser, path } = await ownerWithAppeals([]);
  for (const query of ['', '?isOpen=', '?isOpen=1', '?isOpen=true&isOpen=false']) {
    expect((await browser.call('GET', `${path}/found${query}`)).status).toBe(400);
  }
});

test('those of another owner are not found', async () => {
  const [{ path }, { browser }] = [await ownerWithAppeals(['ann']), await ownerWithAppeals([])];
  expect((await browser.call('GET', `${path}/found?isOpen=true`)).status).toBe(404);
});
