import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { auditOf } from '../../../test/audit-entries.ts';
import { eventually } from '../../../test/eventually.ts';
import { createServer, randomPlatformId } from '../../../test/harness.ts';
import { listMembers, newPlace } from '../../../test/member-rows.ts';
import { openBrowser, type PeopleScene, startPeopleScene } from '../../../test/people-scene.ts';
import { putAppeal, putTrace, putVisit } from '../../../test/way-in-rows.ts';
import { findTokens } from '../vault/queries.ts';

let scene: PeopleScene;
beforeAll(async () => {
  scene = await startPeopleScene();
  await scene.beginRevoking();
}, 60_000);
afterAll(() => scene.stop());

const hostile = '<img src=x onerror=alert(1)>';
const signedIn = async (platformId: string) => {
  const browser = openBrowser(scene);
  await browser.signIn(platformId);
  return browser;
};
const isGood = (token: Parameters<typeof scene.oauth.readCurrentUser>[0]) =>
  scene.oauth.readCurrentUser(token).then(
    () => true,
    () => false,
  );

describe('a person’s page', () => {
  test('shows nothing to somebody who is not signed in', async () => {
    const browser = openBrowser(scene);
    for (const path of ['/me', '/me/export']) {
      const text = await browser.text(path);
      expect(text).toContain('/login?next=/me');
      expect(text).not.toContain('You are signed in');
    }
    const answer = await browser.post('/me/erase', { confirmation: 'ERASE' });
    expect(await answer.text()).not.toContain('is erased');
    expect(await browser.text('/me')).toStartWith('<!doctype html><html lang="en">');
  });

  test('shows every server that keeps something, what it is, and nothing of anybody else', async () => {
    const { db } = scene.service;
    const platformId = randomPlatformId();
    const [first, second, third] = [
      await newPlace(scene.service),
      await newPlace(scene.service),
      await newPlace(scene.service),
    ];
    await first.owner.call('PUT', `/api/v1/servers/${first.serverId}`, {
      body: { name: 'Lighthouse' },
    });
    await scene.addMember(first, platformId, { country: 'DE', region: 'Saxony', asn: 64500 });
    await scene.addMember(first, randomPlatformId(), { username: 'somebody-else' });
    await putAppeal(db, second, platformId, 'I am no robot');
    await putTrace(db, third, platformId);
    const browser = await signedIn(platformId);
    const text = await browser.text('/me');
    expect(text.match(/<section class="card">/g)).toHaveLength(4);
    for (const words of ['Lighthouse', 'DE, Saxony', 'AS64500', 'kept, sealed', 'I am no robot']) {
      expect(text).toContain(words);
    }
    expect(text).not.toContain('somebody-else');
    expect(text).not.toContain(first.owner.accountId);
  });

  test('does not show a server that its owner deleted', async () => {
    const platformId = randomPlatformId();
    const place = await newPlace(scene.service);
    await scene.addMember(place, platformId);
    await place.owner.call('DELETE', `/api/v1/servers/${place.serverId}`);
    const browser = await signedIn(platformId);
    expect(await browser.text('/me')).toContain('No server keeps anything about you');
  });

  test('says nothing of the owner’s blacklist', async () => {
    const platformId = randomPlatformId();
    const place = await newPlace(scene.service);
    await place.owner.call('POST', `/api/v1/servers/${place.serverId}/blacklist`, {
      body: { platformId, reason: 'very rude' },
    });
    await scene.addMember(place, platformId, { blacklisted: true });
    const browser = await signedIn(platformId);
    for (const path of ['/me', '/me/export']) {
      expect(await browser.text(path)).not.toMatch(/blacklisted|very rude/);
    }
  });

  test('runs nothing that somebody has for a name', async () => {
    const { db } = scene.service;
    const platformId = randomPlatformId();
    const user = { username: hostile, globalName: hostile };
    await scene.simulator.control('PUT', `/users/${platformId}`, user);
    const place = await newPlace(scene.service);
    await place.owner.call('PUT', `/api/v1/servers/${place.serverId}`, { body: { name: hostile } });
    const names = { username: hostile, displayName: hostile, country: hostile, region: hostile };
    await scene.addMember(place, platformId, names);
    await putAppeal(db, place, platformId, hostile);
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

test('the export is JSON with all of it, and no hash, token or account of ours', async () => {
  const { db } = scene.service;
  const platformId = randomPlatformId();
  const place = await newPlace(scene.service);
  const { owner, pair } = await scene.addMember(place, platformId, { fingerprint: 'f'.repeat(43) });
  await putTrace(db, place, platformId);
  await putAppeal(db, place, platformId, 'Let me in');
  await putVisit(db, place, owner.botId, platformId);
  const browser = await signedIn(platformId);
  const answer = await browser.go('/me/export');
  expect(answer.headers.get('content-disposition')).toContain('attachment');
  const text = await answer.text();
  const held = JSON.parse(text);
  expect(held).toMatchObject({
    platformId,
    sessions: [{ createdAt: expect.any(String) }],
    servers: [
      {
        id: place.serverId,
        membership: { isTokenKept: true, tokenScopes: ['identify', 'guilds.join'] },
        traces: [{ kind: 'device' }],
        appeals: [{ message: 'Let me in', status: 'OPEN' }],
        visits: [{ outcome: null }],
      },
    ],
  });
  for (const secret of [pair.accessToken.reveal(), pair.refreshToken.reveal(), owner.accountId]) {
    expect(text).not.toContain(secret);
  }
  expect(text).not.toContain('a-trace-of-');
});

describe('taking consent back', () => {
  test('leaves the person verified, forgets the token, and tells the owner', async () => {
    const platformId = randomPlatformId();
    const place = await newPlace(scene.service);
    const { owner, pair } = await scene.addMember(place, platformId);
    const browser = await signedIn(platformId);
    const answer = await browser.post('/me/withdraw', { serverId: place.serverId });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/me']);
    const [member] = (await listMembers(place)).body.data;
    expect(member).toMatchObject({
      ...{ platformId, pullable: false, tokenStatus: 'NONE', consentedAt: null },
    });
    expect(await findTokens(scene.service.db, owner)).toBeUndefined();
    await eventually(10_000, async () => expect(await isGood(pair.accessToken)).toBe(false));
    const [entry] = (await auditOf(place.owner)).data;
    expect(entry).toMatchObject({
      action: 'member.withdraw',
      actor: { type: 'SYSTEM', id: null },
      subject: { type: 'member', id: platformId },
      changes: { serverId: place.serverId },
    });
    expect(await browser.text('/me')).not.toContain('Do not bring me back');
  });

  test('keeps the token while another server of the owner counts on it', async () => {
    const platformId = randomPlatformId();
    const first = await newPlace(scene.service);
    const second = { owner: first.owner, serverId: await createServer(first.owner) };
    await scene.addMember(first, platformId);
    const { owner, pair } = await scene.addMember(second, platformId);
    const browser = await signedIn(platformId);
    await browser.post('/me/withdraw', { serverId: first.serverId });
    expect(await findTokens(scene.service.db, owner)).toBeDefined();
    expect((await listMembers(second)).body.data[0].pullable).toBe(true);
    expect((await listMembers(first)).body.data[0].pullable).toBe(false);
    await browser.post('/me/withdraw', { serverId: second.serverId });
    expect(await findTokens(scene.service.db, owner)).toBeUndefined();
    await eventually(10_000, async () => expect(await isGood(pair.accessToken)).toBe(false));
  });

  test('twice, or where there was none, changes and audits nothing', async () => {
    const platformId = randomPlatformId();
    const place = await newPlace(scene.service);
    await scene.addMember(place, platformId);
    const browser = await signedIn(platformId);
    const wishes = [place.serverId, place.serverId, crypto.randomUUID(), 'x', ''];
    const answers = await Promise.all(
      wishes.map((serverId) => browser.post('/me/withdraw', { serverId })),
    );
    expect(answers.map(({ status }) => status)).toEqual(wishes.map(() => 303));
    const entries = (await auditOf(place.owner)).data;
    expect(
      entries.filter(({ action }: { action: string }) => action === 'member.withdraw'),
    ).toHaveLength(1);
  });

  test('touches only the person who asks', async () => {
    const place = await newPlace(scene.service);
    const other = await scene.addMember(place, randomPlatformId());
    const browser = await signedIn(randomPlatformId());
    await browser.post('/me/withdraw', { serverId: place.serverId });
    expect(await findTokens(scene.service.db, other.owner)).toBeDefined();
    expect((await listMembers(place)).body.data[0].pullable).toBe(true);
  });

  test('is done by a form of our own page alone', async () => {
    const platformId = randomPlatformId();
    const place = await newPlace(scene.service);
    await scene.addMember(place, platformId);
    const browser = await signedIn(platformId);
    const { serverId } = place;
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
    expect((await listMembers(place)).body.data[0].pullable).toBe(true);
  });
});
