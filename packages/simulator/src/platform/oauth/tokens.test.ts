import { afterAll, expect, test } from 'bun:test';
import {
  clientId,
  codeFields,
  errorOf,
  getCode,
  startIdentities,
  type TokenAnswer,
} from '../../../test/oauth-harness.ts';

const sim = startIdentities();
afterAll(sim.stop);

const refused = [400, 'invalid_grant'] as [number, string];
let nextUser = 500_000_000_000_000_000n;
const newUser = (): string => (nextUser++).toString();
const isUsable = (token: string) => sim.identities.grantOf(token)?.isUsable;
const send = (refresh_token: string) => sim.token({ grant_type: 'refresh_token', refresh_token });
const refresh = async (refresh_token: string) =>
  (await (await send(refresh_token)).json()) as TokenAnswer;

test('fifty refreshes in a row each give a new pair and end the one before', async () => {
  let pair = await sim.pair({ userId: newUser() });
  const seen = new Set([pair.access_token, pair.refresh_token]);
  for (let turn = 1; turn <= 50; turn += 1) {
    const next = await refresh(pair.refresh_token);
    seen.add(next.access_token).add(next.refresh_token);
    expect(isUsable(pair.access_token)).toBeUndefined();
    expect(isUsable(next.access_token)).toBe(true);
    expect(await errorOf(await send(pair.refresh_token))).toEqual(refused);
    pair = next;
  }
  expect(seen.size).toBe(102);
  expect(pair.scope).toBe('identify guilds.join');
});

test('of concurrent refreshes with the same token one succeeds', async () => {
  const { refresh_token } = await sim.pair({ userId: newUser() });
  const answers = await Promise.all(Array.from({ length: 20 }, () => send(refresh_token)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
});

test('neither an access token nor a token of another client can be refreshed', async () => {
  const pair = await sim.pair({ userId: newUser() });
  expect(await errorOf(await send(pair.access_token))).toEqual(refused);
  const client = { client_id: '900000000000000009', client_secret: 'other' };
  const fields = { grant_type: 'refresh_token', refresh_token: pair.refresh_token, ...client };
  expect(await errorOf(await sim.token(fields))).toEqual(refused);
  expect((await send(pair.refresh_token)).status).toBe(200);
});

test('a refresh cannot widen the scopes', async () => {
  const { refresh_token } = await sim.pair({ userId: newUser(), scopes: ['identify'] });
  const wider = { grant_type: 'refresh_token', refresh_token, scope: 'identify email' };
  expect(await errorOf(await sim.token(wider))).toEqual([400, 'invalid_scope']);
  expect((await send(refresh_token)).status).toBe(200);
});

test('a modified token is not valid', async () => {
  const { access_token } = await sim.pair({ userId: newUser() });
  for (const server of [2, 16, 20, 30, access_token.length - 1]) {
    const other = access_token[server] === 'b' ? 'c' : 'b';
    const changed = access_token.slice(0, server) + other + access_token.slice(server + 1);
    expect(sim.identities.grantOf(changed)).toBeUndefined();
  }
});

test.each(['access_token', 'refresh_token'] as const)(
  'revoking the %s ends the pair',
  async (kind) => {
    const pair = await sim.pair({ userId: newUser() });
    const other = { client_id: '900000000000000009', client_secret: 'other' };
    expect((await sim.revoke({ token: pair[kind], ...other })).status).toBe(400);
    expect(isUsable(pair.access_token)).toBe(true);

    const answer = await sim.revoke({ token: pair[kind], token_type_hint: kind });
    expect([answer.status, await answer.json()]).toEqual([200, {}]);
    expect(isUsable(pair.access_token)).toBeUndefined();
    expect(await errorOf(await send(pair.refresh_token))).toEqual(refused);
    expect((await sim.revoke({ token: pair[kind] })).status).toBe(200);
  },
);

test('a token expires after seven days, and can still be refreshed', async () => {
  const moved = startIdentities();
  const pair = await moved.pair();
  const usable = (token: string) => moved.identities.grantOf(token)?.isUsable;
  moved.skip(7 * 86_400_000 - 5_000);
  expect(usable(pair.access_token)).toBe(true);
  moved.skip(6_000);
  expect(usable(pair.access_token)).toBe(false);
  expect((await moved.get('/users/@me', `Bearer ${pair.access_token}`)).status).toBe(401);
  const { refresh_token } = pair;
  const next = await moved.token({ grant_type: 'refresh_token', refresh_token });
  expect(usable(((await next.json()) as TokenAnswer).access_token)).toBe(true);
  await moved.stop();
});

test('the lifetime of tokens can be set', async () => {
  const moved = startIdentities();
  expect((await moved.control('PUT', '/__sim/oauth', { tokenLifeMs: 90_000 })).status).toBe(200);
  const pair = await moved.pair();
  expect(pair.expires_in).toBe(90);
  moved.skip(91_000);
  expect(moved.identities.grantOf(pair.access_token)?.isUsable).toBe(false);
  await moved.stop();
});

test.each(['before', 'after'] as const)(
  'a user declared expired %s the pair was made is helped by a refresh',
  async (order) => {
    const userId = newUser();
    const declare = () => sim.control('PUT', `/__sim/users/${userId}`, { tokenState: 'expired' });
    if (order === 'before') await declare();
    const pair = await sim.pair({ userId });
    if (order === 'after') await declare();
    expect(isUsable(pair.access_token)).toBe(false);
    const next = await refresh(pair.refresh_token);
    expect(isUsable(next.access_token)).toBe(true);
    await declare();
    expect(isUsable(next.access_token)).toBe(false);
  },
);

test('a user whose tokens were set to revoked has to consent again', async () => {
  const userId = newUser();
  const pair = await sim.pair({ userId });
  await sim.control('PUT', `/__sim/users/${userId}`, { tokenState: 'revoked' });
  expect(isUsable(pair.access_token)).toBe(false);
  expect(await errorOf(await send(pair.refresh_token))).toEqual(refused);

  const code = await getCode(sim, { sim_user: userId });
  const fresh = (await (await sim.token(codeFields(code))).json()) as TokenAnswer;
  expect(isUsable(fresh.access_token)).toBe(true);
  expect(isUsable(pair.access_token)).toBe(false);
});

test('tokens stay valid after a restart in open mode, and not in strict mode', async () => {
  const { access_token, refresh_token } = await sim.pair();
  const later = startIdentities();
  expect(later.identities.grantOf(access_token)?.isUsable).toBe(true);
  const answer = await later.token({ grant_type: 'refresh_token', refresh_token });
  expect(answer.status).toBe(200);
  expect(later.identities.grantOf(access_token)).toBeUndefined();
  const strict = startIdentities({ isOpen: false });
  expect(strict.identities.grantOf(access_token)).toBeUndefined();
  await Promise.all([later.stop(), strict.stop()]);
});

test('one call gives pairs for many users, in their order and each to its own user', async () => {
  const userIds = Array.from({ length: 5000 }, newUser);
  await sim.control('PUT', `/__sim/users/${userIds[7]}`, { tokenState: 'revoked' });
  const request = { clientId, userIds, scopes: ['identify', 'guilds.join'] };
  const answer = await sim.control('POST', '/__sim/tokens', request);
  const pairs = (await answer.json()) as TokenAnswer[];
  const grants = pairs.map(({ access_token }) => sim.identities.grantOf(access_token));
  expect(grants.map((grant) => grant?.userId)).toEqual(userIds);
  expect(grants.flatMap((grant, server) => (grant?.isUsable ? [] : [server]))).toEqual([7]);
  expect(new Set(grants.map((grant) => grant?.applicationId))).toEqual(new Set([clientId]));
  const [first] = pairs;
  expect(first).toMatchObject({ scope: 'identify guilds.join', expires_in: 7 * 86_400 });
  const next = await refresh(first?.refresh_token ?? '');
  expect(isUsable(next.access_token)).toBe(true);
});
