import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { auditOf } from '../../../test/harness/api-calls.ts';
import { createServer } from '../../../test/harness/bots-and-servers.ts';
import { expectBelow } from '../../../test/harness/bounds.ts';
import { whileItWaits } from '../../../test/harness/database-faults/while-it-waits.ts';
import {
  openBrowser,
  type PeopleFixture,
  startPeopleFixture,
  usualBaseUrl,
} from '../../../test/harness/erasure/people.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { listMembers, newServer } from '../../../test/harness/members.ts';
import { randomPlatformId } from '../../../test/harness/service.ts';
import {
  insertAppeal,
  insertAttempt,
  insertDeviceHash,
} from '../../../test/harness/verification/rows.ts';
import { findTokens } from '../vault/queries.ts';

let fixture: PeopleFixture;
beforeAll(async () => {
  fixture = await startPeopleFixture();
  await fixture.beginRevoking();
});
afterAll(() => fixture.stop());

const hostile = '<img src=x onerror=alert(1)>';
const signedIn = async (platformId: string) => {
  const browser = openBrowser(fixture);
  await browser.signIn(platformId);
  return browser;
};
const isGood = (token: Parameters<typeof fixture.oauth.readCurrentUser>[0]) =>
  fixture.oauth.readCurrentUser(token).then(
    () => true,
    () => false,
  );

describe('a person’s page', () => {
  test('shows nothing to a person who is not signed in', async () => {
    const browser = openBrowser(fixture);
    for (const path of ['/me', '/me/export']) {
      const text = await browser.text(path);
      expect(text).toContain('/login?next=/me');
      expect(text).not.toContain('You are signed in');
    }
    const answer = await browser.post('/me/erase', { confirmation: 'ERASE' });
    expect(await answer.text()).not.toContain('is erased');
    expect(await browser.text('/me')).toStartWith('<!doctype html><html lang="en" dir="ltr">');
  });

  test('shows every server that stores something, what it is, and nothing of other people', async () => {
    const { db } = fixture.service;
    const platformId = randomPlatformId();
    const [first, second, third] = [
      await newServer(fixture.service),
      await newServer(fixture.service),
      await newServer(fixture.service),
    ];
    await first.owner.call('PUT', `/api/v1/servers/${first.serverId}`, {
      body: { name: 'Lighthouse' },
    });
    await fixture.addMember(first, platformId, { country: 'DE', region: 'Saxony', asn: 64500 });
    await fixture.addMember(first, randomPlatformId(), { username: 'somebody-else' });
    await insertAppeal(db, second, platformId, 'I am no robot');
    await insertDeviceHash(db, third, platformId);
    const refused = { blockReason: 'VPN' as const, country: 'NL', asn: 64501 };
    await insertAttempt(db, third, platformId, refused);
    const browser = await signedIn(platformId);
    const text = await browser.text('/me');
    expect(text.match(/<section class="card">/g)).toHaveLength(4);
    for (const words of [
      'Lighthouse',
      'DE, Saxony',
      'AS64500',
      'kept, encrypted',
      'I am no robot',
    ]) {
      expect(text).toContain(words);
    }
    expect(text).toMatch(/Verification attempt, [^<]+<\/dt><dd>refused, NL, AS64501, forgotten /);
    expect(text).not.toContain('somebody-else');
    expect(text).not.toContain(first.owner.accountId);
  });

  test('does not show a server that its owner deleted', async () => {
    const platformId = randomPlatformId();
    const server = await newServer(fixture.service);
    await fixture.addMember(server, platformId);
    await server.owner.call('DELETE', `/api/v1/servers/${server.serverId}`);
    const browser = await signedIn(platformId);
    expect(await browser.text('/me')).toContain('No server keeps anything about you');
  });

  test('says nothing of the owner’s blacklist', async () => {
    const platformId = randomPlatformId();
    const server = await newServer(fixture.service);
    await server.owner.call('POST', `/api/v1/servers/${server.serverId}/blacklist`, {
      body: { platformId, reason: 'very rude' },
    });
    await fixture.addMember(server, platformId, { blacklisted: true });
    const browser = await signedIn(platformId);
    for (const path of ['/me', '/me/export']) {
      expect(await browser.text(path)).not.toMatch(/blacklisted|very rude/);
    }
  });

  test('runs no script in a name', async () => {
    const { db } = fixture.service;
    const platformId = randomPlatformId();
    const user = { username: hostile, globalName: hostile };
    await fixture.simulator.control('PUT', `/users/${platformId}`, user);
    const server = await newServer(fixture.service);
    await server.owner.call('PUT', `/api/v1/servers/${server.serverId}`, {
      body: { name: hostile },
    });
    const names = { username: hostile, displayName: hostile, country: hostile, region: hostile };
    await fixture.addMember(server, platformId, names);
    await insertAppeal(db, server, platformId, hostile);
    const browser = await signedIn(platformId);
    const answer = await browser.go('/me');
    const text = await answer.text();
    expect(text).not.toContain('<img');
    expect(text).toContain('&lt;img');
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });
});

describe('withdrawing consent', () => {
  test('leaves the person verified, deletes the token, and is audited', async () => {
    const platformId = randomPlatformId();
    const server = await newServer(fixture.service);
    const { owner, pair } = await fixture.addMember(server, platformId);
    const browser = await signedIn(platformId);
    const answer = await browser.post('/me/withdraw', { serverId: server.serverId });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/me']);
    const [member] = (await listMembers(server)).body.data;
    expect(member).toMatchObject({
      ...{ platformId, pullable: false, tokenStatus: 'NONE', consentedAt: null },
    });
    expect(await findTokens(fixture.service.db, owner)).toBeUndefined();
    await eventually(10_000, async () => expect(await isGood(pair.accessToken)).toBe(false));
    const [entry] = (await auditOf(server.owner)).data;
    expect(entry).toMatchObject({
      action: 'member.withdraw',
      actor: { type: 'SYSTEM', id: null },
      subject: { type: 'member', id: platformId },
      changes: { serverId: server.serverId },
    });
    expect(await browser.text('/me')).not.toContain('Do not bring me back');
  });

  test('keeps the token while another server of the owner needs it', async () => {
    const platformId = randomPlatformId();
    const first = await newServer(fixture.service);
    const second = { owner: first.owner, serverId: await createServer(first.owner) };
    await fixture.addMember(first, platformId);
    const { owner, pair } = await fixture.addMember(second, platformId);
    const browser = await signedIn(platformId);
    await browser.post('/me/withdraw', { serverId: first.serverId });
    expect(await findTokens(fixture.service.db, owner)).toBeDefined();
    expect((await listMembers(second)).body.data[0].pullable).toBe(true);
    expect((await listMembers(first)).body.data[0].pullable).toBe(false);
    await browser.post('/me/withdraw', { serverId: second.serverId });
    expect(await findTokens(fixture.service.db, owner)).toBeUndefined();
    await eventually(10_000, async () => expect(await isGood(pair.accessToken)).toBe(false));
  });

  test('leaves the consent that the person gives again meanwhile', async () => {
    const platformId = randomPlatformId();
    const server = await newServer(fixture.service);
    const { owner } = await fixture.addMember(server, platformId);
    const browser = await signedIn(platformId);
    const answer = await whileItWaits(fixture.service.db, {
      lock: (sql) => sql`select id from member_tokens where platform_id = ${platformId} for update`,
      work: () => browser.post('/me/withdraw', { serverId: server.serverId }),
      change: (sql) =>
        sql`update members set consented_at = now() where platform_id = ${platformId}`,
    });
    expect(answer.status).toBe(303);
    expect((await listMembers(server)).body.data[0].pullable).toBe(true);
    expect(await findTokens(fixture.service.db, owner)).toBeDefined();
    const [entry] = (await auditOf(server.owner)).data;
    expect(entry.action).not.toBe('member.withdraw');
  });

  test('twice, or without consent, changes and audits nothing', async () => {
    const platformId = randomPlatformId();
    const server = await newServer(fixture.service);
    await fixture.addMember(server, platformId);
    const browser = await signedIn(platformId);
    const wishes = [server.serverId, server.serverId, crypto.randomUUID(), 'x', ''];
    const answers = await Promise.all(
      wishes.map((serverId) => browser.post('/me/withdraw', { serverId })),
    );
    expect(answers.map(({ status }) => status)).toEqual(wishes.map(() => 303));
    const entries = (await auditOf(server.owner)).data;
    expect(
      entries.filter(({ action }: { action: string }) => action === 'member.withdraw'),
    ).toHaveLength(1);
  });

  test('affects only the person who asks', async () => {
    const server = await newServer(fixture.service);
    const other = await fixture.addMember(server, randomPlatformId());
    const browser = await signedIn(randomPlatformId());
    await browser.post('/me/withdraw', { serverId: server.serverId });
    expect(await findTokens(fixture.service.db, other.owner)).toBeDefined();
    expect((await listMembers(server)).body.data[0].pullable).toBe(true);
  });

  test('is possible only from our own page', async () => {
    const platformId = randomPlatformId();
    const server = await newServer(fixture.service);
    await fixture.addMember(server, platformId);
    const browser = await signedIn(platformId);
    const { serverId } = server;
    for (const path of ['/me/withdraw', '/me/erase']) {
      const fields = { serverId, confirmation: 'ERASE' };
      for (const origin of ['https://evil.example', 'null', '', 'http://localhost:3001']) {
        expect((await browser.post(path, fields, { origin })).status).toBe(403);
      }
      const asJson = { 'content-type': 'text/plain' };
      expect((await browser.post(path, fields, asJson)).status).toBe(400);
      const get = await browser.go(`${path}?${new URLSearchParams(fields)}`);
      expect(get.status).toBe(404);
    }
    expect((await listMembers(server)).body.data[0].pullable).toBe(true);
  });
});

test('an erasure is not confirmed by more than a word, whatever it is made of', async () => {
  const browser = await signedIn(randomPlatformId());
  const marks = '\u0301'.repeat(14_000) + '\u0316'.repeat(14_000);
  const headers = { origin: usualBaseUrl, 'content-type': 'application/x-www-form-urlencoded' };
  for (const confirmation of [`a${marks}`, `ERASE${'+'.repeat(300)}`]) {
    const body = `confirmation=${confirmation}`;
    const startedAt = performance.now();
    const answer = await browser.go('/me/erase', { method: 'POST', body, headers });
    expectBelow(performance.now() - startedAt, 1000);
    expect(await answer.text()).not.toContain('is erased');
  }
  expect(await browser.text('/me')).toContain('You are signed in');
});
