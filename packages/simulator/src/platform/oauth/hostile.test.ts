import { afterAll, expect, test } from 'bun:test';
import {
  authorizeUrl,
  botToken,
  clientId,
  clientSecret,
  errorOf,
  startIdentities,
} from '../../../test/oauth-harness.ts';

const sim = startIdentities();
afterAll(sim.stop);

const formType = { 'content-type': 'application/x-www-form-urlencoded' };
const client = `client_id=${clientId}&client_secret=${clientSecret}`;
const megabyte = 'x'.repeat(1_000_000);

const tooMany = Array<string>(5001).fill('1');

const isRefusal = (status: number) => status >= 400 && status < 500;

const bodies = [
  '',
  '=',
  '&&&',
  client,
  `${client}&grant_type=`,
  `${client}&grant_type=password&username=a&password=b`,
  `${client}&grant_type=authorization_code`,
  `${client}&grant_type=authorization_code&code=%00&redirect_uri=%00`,
  `${client}&grant_type=authorization_code&code=a&code=b&redirect_uri=c`,
  `${client}&grant_type=authorization_code&code[]=a&redirect_uri[]=b`,
  `${client}&grant_type=__proto__&__proto__=1`,
  `${client}&grant_type=constructor`,
  `${client}&grant_type=refresh_token&refresh_token=%F0%9F%A6%A6.a.b.c.d.e.f.g`,
  `${client}&grant_type=client_credentials&scope=nonsense`,
  `${client}&grant_type=refresh_token&refresh_token=${megabyte}`,
  'client_id=abc&client_secret=x&grant_type=refresh_token&refresh_token=x',
  `client_id=${clientId}&grant_type=refresh_token&refresh_token=x`,
  `client_id=${'9'.repeat(400)}&client_secret=x&grant_type=refresh_token&refresh_token=x`,
  '%',
  '\0',
];

test('whatever is sent to the token endpoints, the answer is a refusal', async () => {
  for (const path of ['/api/v10/oauth2/token', '/api/v10/oauth2/token/revoke']) {
    for (const body of bodies) {
      // Revoking asks for a token, which none of these has.
      const answer = await sim.send(path, { method: 'POST', headers: formType, body });
      expect([body.slice(0, 80), isRefusal(answer.status)]).toEqual([body.slice(0, 80), true]);
      expect(await answer.json()).toHaveProperty('error');
    }
  }
});

test('a body that is not a form is refused', async () => {
  const json = { method: 'POST', body: '{"grant_type":"refresh_token"}' };
  for (const type of ['application/json', 'multipart/form-data', 'text/plain', ';;']) {
    const headers = { 'content-type': type };
    const answer = await sim.send('/api/v10/oauth2/token', { ...json, headers });
    expect(await errorOf(answer)).toEqual([400, 'invalid_request']);
  }
});

test('no malformed Authorization header is accepted', async () => {
  const headers = ['Basic', 'Basic !!!', `Basic ${btoa('nocolon')}`, 'Basic =', 'Bearer x', 'x'];
  for (const authorization of headers) {
    const answer = await sim.send('/api/v10/oauth2/token', {
      method: 'POST',
      headers: { ...formType, authorization },
      body: 'grant_type=refresh_token&refresh_token=x',
    });
    expect(await errorOf(answer)).toEqual([401, 'invalid_client']);
  }
  for (const authorization of ['Bot', 'Bot ', 'bot x', 'Bearer ', 'Bearer a.b', '']) {
    for (const path of ['/users/@me', '/users/@me/guilds', '/oauth2/@me', '/applications/@me']) {
      const answer = await sim.get(path, authorization);
      expect([answer.status, await answer.json()]).toEqual([
        401,
        { message: '401: Unauthorized', code: 0 },
      ]);
    }
  }
});

test('whatever is asked about users, the answer is a refusal', async () => {
  const bot = `Bot ${botToken(clientId)}`;
  for (const id of [
    'abc',
    '-1',
    '0',
    '1e5',
    '%00',
    '9'.repeat(30),
    '@you',
    "'--",
    '%F0%9F%A6%A6',
  ]) {
    expect([id, (await sim.get(`/users/${id}`, bot)).status]).toEqual([id, 400]);
  }
  for (const query of [
    'limit=0',
    'limit=201',
    'limit=x',
    'before=x',
    'after=-1',
    'with_counts=7',
  ]) {
    expect([query, (await sim.get(`/users/@me/guilds?${query}`, bot)).status]).toEqual([
      query,
      400,
    ]);
  }
});

test('whatever is posted to the page, nothing breaks', async () => {
  const url = authorizeUrl({ sim_user: undefined });
  for (const body of ['decision=authorize', 'user=a&user=b', `user=${megabyte}`, '\0']) {
    const answer = await sim.send(url, { method: 'POST', headers: formType, body });
    expect(answer.status).toBeOneOf([302, 400, 413]);
  }
  expect((await sim.send(url, { method: 'POST', body: '{}' })).status).toBe(400);
  expect((await sim.send(`/oauth2/authorize?${'%00&'.repeat(500)}`)).status).toBe(400);
});

test('the control API refuses invalid bodies', async () => {
  const wrong: [string, string, unknown][] = [
    ['PUT', '/__sim/users/abc', {}],
    ['PUT', '/__sim/users/1', []],
    ['PUT', '/__sim/users/1', { username: 5 }],
    ['PUT', '/__sim/users/1', { tokenState: 'gone' }],
    ['PUT', '/__sim/users/1', { guildIds: ['x'] }],
    ['PUT', '/__sim/users/1', { surprise: true }],
    ['PUT', '/__sim/oauth', { tokenLifeMs: -1 }],
    ['PUT', '/__sim/oauth', {}],
    ['POST', '/__sim/tokens', { clientId, userId: '1', scopes: ['nonsense'] }],
    ['POST', '/__sim/tokens', { clientId, userId: '1', scopes: [] }],
    ['POST', '/__sim/tokens', { clientId, userIds: [], scopes: ['identify'] }],
    ['POST', '/__sim/tokens', { clientId, userIds: ['1', 'x'], scopes: ['identify'] }],
    ['POST', '/__sim/tokens', { clientId, userId: '1', userIds: ['1'], scopes: ['identify'] }],
    ['POST', '/__sim/tokens', { clientId, userIds: tooMany, scopes: ['identify'] }],
    ['POST', '/__sim/tokens', null],
    ['PUT', '/__sim/bots/1', { isDead: 'yes' }],
  ];
  for (const [method, path, body] of wrong) {
    expect([path, body, (await sim.control(method, path, body)).status]).toEqual([path, body, 400]);
  }
  expect((await sim.send('/__sim/oauth', { method: 'PUT', body: '{' })).status).toBe(400);
});
