import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startTestSimulator, type TestSimulator } from '../../../test/harness.ts';

let simulator: TestSimulator;
beforeAll(async () => {
  simulator = await startTestSimulator();
});
afterAll(() => simulator.stop());

const list = '/developers/applications';

const post = (path: string, fields: Record<string, string> | string[][]) =>
  fetch(`${simulator.url}${path}`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    redirect: 'manual',
  });

const create = async (): Promise<string> =>
  (await post(list, { name: 'Gatekeeper' })).headers.get('location') ?? '';

const onceIn = (page: string, id: string): string =>
  new RegExp(`<code id="${id}">([^<]+)</code>`).exec(page)?.[1] ?? '';

const describe = async (token: string) => {
  const answer = await simulator.call('GET', '/applications/@me', undefined, token);
  return { status: answer.status, body: await answer.json() };
};

test('an application is made, and its token names it and ends the one before', async () => {
  const path = await create();
  const id = path.split('/').at(-2) ?? '';
  const first = onceIn(await (await post(path, { step: 'token' })).text(), 'token');
  expect(Buffer.from(first.split('.')[0] ?? '', 'base64url').toString()).toBe(id);
  expect(await describe(first)).toMatchObject({ status: 200, body: { id, name: 'Gatekeeper' } });
  const second = onceIn(await (await post(path, { step: 'token' })).text(), 'token');
  expect((await describe(second)).status).toBe(200);
  expect((await describe(first)).status).toBe(401);
  expect(await (await fetch(simulator.url + path)).text()).not.toContain(second);
});

test('its redirects, intents and secret are those that were set', async () => {
  const path = await create();
  const id = path.split('/').at(-2) ?? '';
  const token = onceIn(await (await post(path, { step: 'token' })).text(), 'token');
  const redirect_uri = 'http://localhost:3000/verify/callback';
  expect((await post(path, { step: 'redirect', redirect_uri })).status).toBe(200);
  expect((await post(path, { step: 'redirect', redirect_uri: 'javascript:0' })).status).toBe(400);
  await post(path, [
    ['step', 'intents'],
    ['intents', 'GUILD_MEMBERS'],
  ]);
  expect((await describe(token)).body).toMatchObject({
    redirect_uris: [redirect_uri],
    flags: 1 << 15,
  });
  const secret = onceIn(await (await post(path, { step: 'secret' })).text(), 'secret');
  const ask = (client_secret: string) =>
    post('/api/v10/oauth2/token', {
      ...{ grant_type: 'client_credentials', scope: 'identify', client_id: id, client_secret },
    });
  expect((await ask('another')).status).toBe(401);
  expect((await ask(secret)).status).toBe(200);
});

test('a name is needed, and an id that is none is refused', async () => {
  expect((await post(list, { name: ' ' })).status).toBe(400);
  expect((await fetch(`${simulator.url}${list}/none/bot`)).status).toBe(400);
});
