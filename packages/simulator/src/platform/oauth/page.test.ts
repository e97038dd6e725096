import { afterAll, describe, expect, test } from 'bun:test';
import {
  authorizeUrl,
  clientId,
  locationOf,
  startIdentities,
  userId,
} from '../../../test/oauth-harness.ts';

const sim = startIdentities();
afterAll(sim.stop);

const pageUrl = (changes: Record<string, string | undefined> = {}) =>
  authorizeUrl({ sim_user: undefined, ...changes });

test('the page shows the application and its scopes, and lets a person choose a user', async () => {
  const answer = await sim.send(pageUrl());
  expect(answer.status).toBe(200);
  const policy = answer.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain('unsafe');
  const page = await answer.text();
  expect(page).toStartWith('<!doctype html>');
  expect(page).toContain('Application 0001');
  expect(page).toContain('Add you to servers, now and later');
  expect(page).toContain('Amber Otter');
  expect(page.match(/type="radio"/g)).toHaveLength(6);
  expect(page).not.toContain('<script');
  expect(page).toContain('service.example');
});

test('the policy lets a browser follow the redirect to an application with its own scheme', async () => {
  const answer = await sim.send(pageUrl({ redirect_uri: 'org.example.app:/back' }));
  expect(answer.headers.get('content-security-policy')).toContain('org.example.app:');
  const agreed = await sim.form(pageUrl({ redirect_uri: 'org.example.app:/back' }), {
    user: userId,
    decision: 'authorize',
  });
  expect(agreed.headers.get('location')).toStartWith('org.example.app:/back?code=');
});

test('authorizing returns a code for the user chosen, or for the id typed', async () => {
  const agree = async (fields: Record<string, string>) => {
    const answer = await sim.form(pageUrl(), { decision: 'authorize', ...fields });
    expect(answer.status).toBe(302);
    const code = locationOf(answer).searchParams.get('code') ?? '';
    return sim.identities.codes.find(code)?.userId;
  };
  expect(await agree({ user: userId, user_id: '' })).toBe(userId);
  expect(await agree({ user: userId, user_id: ' 731000000000000001 ' })).toBe('731000000000000001');
});

test('cancelling returns access_denied with the state', async () => {
  const back = locationOf(await sim.form(pageUrl(), { user: userId, decision: 'cancel' }));
  expect(back.searchParams.get('error')).toBe('access_denied');
  expect(back.searchParams.get('state')).toBe('a state');
  expect(back.searchParams.has('code')).toBe(false);
});

test.each(['abc', '0', '99999999999999999999999', '-1', ''])(
  'the user id %p is refused on the page itself',
  async (user) => {
    const answer = await sim.form(pageUrl(), { user, decision: 'authorize' });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('There is no user with this id.');
  },
);

describe('the application gets an error for', () => {
  test.each([
    ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
    ['an unknown scope', { scope: 'identify everything' }, 'invalid_scope'],
    ['no scope', { scope: ' ' }, 'invalid_scope'],
    ['an invalid challenge', { code_challenge: 'short' }, 'invalid_request'],
    ['a method without challenge', { code_challenge_method: 'S256' }, 'invalid_request'],
    [
      'an unknown method',
      { code_challenge: 'x'.repeat(43), code_challenge_method: 'S512' },
      'invalid_request',
    ],
  ])('%s', async (_, changes, error) => {
    const back = locationOf(await sim.send(authorizeUrl(changes)));
    expect(back.searchParams.get('error')).toBe(error);
    expect(back.searchParams.get('state')).toBe('a state');
  });
});

describe('no redirect happens with', () => {
  test.each([
    ['no client', { client_id: undefined }],
    ['a client id that is no id', { client_id: 'abc' }],
    ['no redirect_uri', { redirect_uri: undefined }],
    ['an invalid redirect_uri', { redirect_uri: '/callback' }],
    ['a script for a redirect_uri', { redirect_uri: 'javascript:alert(1)' }],
    ['a document for a redirect_uri', { redirect_uri: 'data:text/html,hello' }],
    ['a redirect_uri with a fragment', { redirect_uri: 'https://service.example/#part' }],
  ])('%s', async (_, changes) => {
    const answer = await sim.send(authorizeUrl(changes));
    expect(answer.status).toBe(400);
    expect(answer.headers.get('location')).toBeNull();
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  test('a parameter sent twice', async () => {
    const answer = await sim.send(`${authorizeUrl()}&client_id=${clientId}`);
    expect(answer.status).toBe(400);
  });
});

test('foreign text never becomes markup', async () => {
  const hostile = `"><script>alert('x')</script><img src=x onerror=alert(1)>`;
  await sim.control('PUT', `/__sim/bots/${clientId}`, { name: hostile });
  await sim.control('PUT', `/__sim/users/${userId}`, { username: hostile, globalName: hostile });
  const url = pageUrl({ state: hostile, redirect_uri: `https://service.example/?q=${hostile}` });
  for (const fields of [undefined, { user_id: hostile, decision: 'authorize' }]) {
    const answer = fields ? await sim.form(url, fields) : await sim.send(url);
    const page = await answer.text();
    expect(page).toContain('&lt;script&gt;');
    expect(page).not.toMatch(/<script|<img/);
  }
  const refusal = await sim.send(pageUrl({ client_id: hostile }));
  expect(await refusal.text()).not.toMatch(/<script|<img/);
  const back = locationOf(await sim.form(url, { decision: 'cancel' }));
  expect(back.searchParams.get('state')).toBe(hostile);
});
