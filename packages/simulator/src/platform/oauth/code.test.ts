import { afterAll, expect, test } from 'bun:test';
import {
  authorizeUrl,
  clientId,
  clientSecret,
  codeFields,
  errorOf,
  getCode,
  locationOf,
  makeVerifier,
  startIdentities,
  type TokenAnswer,
  userId,
} from '../../../test/oauth-harness.ts';

const sim = startIdentities();
afterAll(sim.stop);

const refused = [400, 'invalid_grant'] as [number, string];
const exchange = async (code: string, changes?: Record<string, string>) =>
  (await (await sim.token(codeFields(code, changes))).json()) as TokenAnswer;

test('a member consents, and the service gets tokens for these scopes', async () => {
  const { verifier, challenge } = makeVerifier();
  const url = authorizeUrl({ code_challenge: challenge, code_challenge_method: 'S256' });
  const back = locationOf(await sim.send(url));
  expect(back.origin + back.pathname).toBe('https://service.example/callback');
  expect(back.searchParams.get('state')).toBe('a state');

  const code = back.searchParams.get('code') ?? '';
  const answer = await sim.token(codeFields(code, { code_verifier: verifier }));
  expect(answer.status).toBe(200);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  const pair = (await answer.json()) as TokenAnswer;
  expect(pair).toEqual({
    token_type: 'Bearer',
    access_token: expect.any(String),
    refresh_token: expect.any(String),
    expires_in: 604_800,
    scope: 'identify guilds.join',
  });
  expect(sim.identities.grantOf(pair.access_token)).toEqual({
    userId,
    applicationId: clientId,
    scopes: ['identify', 'guilds.join'],
    isUsable: true,
  });
  expect(sim.identities.grantOf(pair.refresh_token)).toBeUndefined();
});

test('the authorize page is below the API too, and keeps the query of the redirect_uri', async () => {
  const redirect_uri = 'https://service.example/callback?tenant=7';
  const back = locationOf(await sim.send(`/api/v10${authorizeUrl({ redirect_uri })}`));
  expect(back.searchParams.get('tenant')).toBe('7');
  expect(back.searchParams.get('code')).toBeTruthy();
});

test.each([
  ['S256', 'another verifier', 'y'.repeat(50)],
  ['S256', 'a verifier that is too short', 'short'],
  ['plain', 'another verifier', 'y'.repeat(50)],
])('with %s, %s is refused', async (method, _, code_verifier) => {
  const changes = { code_challenge: makeVerifier().challenge, code_challenge_method: method };
  const code = await getCode(sim, changes);
  expect(await errorOf(await sim.token(codeFields(code, { code_verifier })))).toEqual(refused);
  expect(await errorOf(await sim.token(codeFields(code)))).toEqual(refused);
});

test('a plain challenge is its own verifier', async () => {
  const { verifier } = makeVerifier();
  const code = await getCode(sim, { code_challenge: verifier });
  expect((await exchange(code, { code_verifier: verifier })).token_type).toBe('Bearer');
});

test('a verifier for a code made without a challenge is refused', async () => {
  const code = await getCode(sim);
  const fields = codeFields(code, { code_verifier: makeVerifier().verifier });
  expect(await errorOf(await sim.token(fields))).toEqual(refused);
});

test('a code that is used twice is refused, and the tokens of its first use are revoked', async () => {
  const code = await getCode(sim);
  const { refresh_token } = await exchange(code);
  const refreshed = await sim.token({ grant_type: 'refresh_token', refresh_token });
  const pair = (await refreshed.json()) as TokenAnswer;
  expect(sim.identities.grantOf(pair.access_token)?.isUsable).toBe(true);

  expect(await errorOf(await sim.token(codeFields(code)))).toEqual(refused);
  expect(sim.identities.grantOf(pair.access_token)).toBeUndefined();
  const again = { grant_type: 'refresh_token', refresh_token: pair.refresh_token };
  expect(await errorOf(await sim.token(again))).toEqual(refused);
});

test('only the redirect_uri the code was made for exchanges it', async () => {
  const code = await getCode(sim);
  const other = codeFields(code, { redirect_uri: 'https://service.example/callback/' });
  expect(await errorOf(await sim.token(other))).toEqual(refused);
});

test("another client's code is refused, and stays good for the client it was made for", async () => {
  const code = await getCode(sim);
  const client = { client_id: '900000000000000002', client_secret: 'other' };
  expect(await errorOf(await sim.token({ ...codeFields(code), ...client }))).toEqual(refused);
  expect((await sim.token(codeFields(code))).status).toBe(200);
});

test('a code is valid for ten minutes', async () => {
  const moved = startIdentities();
  const [early, late] = [await getCode(moved), await getCode(moved)];
  moved.skip(599_000);
  expect((await moved.token(codeFields(early))).status).toBe(200);
  moved.skip(2_000);
  expect(await errorOf(await moved.token(codeFields(late)))).toEqual(refused);
  await moved.stop();
});

test('a client may authenticate by header as well as by form, but not by both', async () => {
  const header = (secret: string) => ({
    authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`,
  });
  const send = async (fields: Record<string, string>, secret = clientSecret) =>
    sim.form('/api/v10/oauth2/token', fields, header(secret));
  expect((await send(codeFields(await getCode(sim)))).status).toBe(200);
  const both = { ...codeFields(await getCode(sim)), client_secret: clientSecret };
  expect(await errorOf(await send(both))).toEqual([400, 'invalid_request']);
  const wrong = await send(codeFields(await getCode(sim)), 'wrong');
  expect(wrong.headers.get('www-authenticate')).toStartWith('Basic');
  expect(await errorOf(wrong)).toEqual([401, 'invalid_client']);
});

test('the first secret that a client uses becomes its secret', async () => {
  const client_id = '900000000000000003';
  const fields = { ...codeFields('none'), client_id };
  expect(await errorOf(await sim.token({ ...fields, client_secret: 'first' }))).toEqual(refused);
  const second = await sim.token({ ...fields, client_secret: 'second' });
  expect(await errorOf(second)).toEqual([401, 'invalid_client']);
});

test('strict mode knows only what was set', async () => {
  const strict = startIdentities({ isOpen: false });
  const url = authorizeUrl();
  expect((await strict.send(url)).status).toBe(400);
  expect(await errorOf(await strict.token(codeFields('x')))).toEqual([401, 'invalid_client']);

  const redirectUris = ['https://service.example/callback'];
  await strict.control('PUT', `/__sim/bots/${clientId}`, { clientSecret, redirectUris });
  expect((await strict.send(authorizeUrl({ redirect_uri: 'https://evil.example/' }))).status).toBe(
    400,
  );
  expect((await strict.send(url)).status).toBe(200);
  const agreed = await strict.form(url, { user: userId, decision: 'authorize' });
  const code = locationOf(agreed).searchParams.get('code') ?? '';
  expect((await strict.token(codeFields(code))).status).toBe(200);
  const stranger = await strict.form(url, { user_id: '123456789012345678', decision: 'authorize' });
  expect(stranger.status).toBe(400);
  await strict.stop();
});

test('an application gets a token for its owner, without a refresh token', async () => {
  const answer = await sim.token({ grant_type: 'client_credentials', scope: 'identify' });
  expect(await answer.json()).toEqual({
    token_type: 'Bearer',
    access_token: expect.any(String),
    expires_in: 604_800,
    scope: 'identify',
  });
});
