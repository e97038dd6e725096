import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { auditOf } from '../../../test/audit-entries.ts';
import { eventually } from '../../../test/eventually.ts';
import { createServer, randomPlatformId } from '../../../test/harness.ts';
import { countsOf, listMembers, newPlace } from '../../../test/member-rows.ts';
import { openBrowser, type PeopleScene, startPeopleScene } from '../../../test/people-scene.ts';
import { putAppeal, putGrant, putTrace, putVisit } from '../../../test/way-in-rows.ts';
import type { TokenPair } from '../../platform/port-oauth.ts';

let scene: PeopleScene;
beforeAll(async () => {
  scene = await startPeopleScene();
  await scene.beginRevoking();
}, 60_000);
afterAll(() => scene.stop());

/** Which tables hold the text in a row of theirs. */
const tablesHolding = async (text: string): Promise<string[]> => {
  const { $client: client } = scene.service.db;
  const tables = await client`
    select format('%I.%I', schemaname, tablename) as name
    from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`;
  const holding: string[] = [];
  for (const { name } of tables) {
    const found = `select 1 from ${name} as row where strpos(row::text, $1) > 0 limit 1`;
    if ((await client.unsafe(found, [text])).length > 0) holding.push(name);
  }
  return holding.sort();
};

describe('erasing everything', () => {
  test('leaves the platform id in what the owner wrote and in the audit log, and nothing else anywhere', async () => {
    const { db } = scene.service;
    const platformId = randomPlatformId();
    const canary = `canary-${crypto.randomUUID()}`;
    await scene.simulator.control('PUT', `/users/${platformId}`, { username: canary });
    const first = await newPlace(scene.service);
    const second = { owner: first.owner, serverId: await createServer(first.owner) };
    const foreign = await newPlace(scene.service);
    const pairs: TokenPair[] = [];
    for (const place of [first, second, foreign]) {
      const names = { username: canary, displayName: canary, id: crypto.randomUUID() };
      const { owner, pair } = await scene.addMember(place, platformId, names);
      pairs.push(pair);
      await putAppeal(db, place, platformId, canary, canary);
      await putTrace(db, place, platformId);
      await putVisit(db, place, owner.botId, platformId, canary);
      await putGrant(db, place, platformId, names.id);
    }
    const other = await scene.addMember(first, randomPlatformId());
    const { serverId } = foreign;
    const listed = { platformId, reason: 'rude' };
    const blacklisted = `/api/v1/servers/${serverId}/blacklist`;
    await foreign.owner.call('POST', blacklisted, { body: listed });
    const rule = { type: 'USER_ID', value: platformId };
    await first.owner.call('POST', `/api/v1/servers/${first.serverId}/whitelist`, { body: rule });

    const [browser, phone] = [openBrowser(scene), openBrowser(scene)];
    await browser.signIn(platformId);
    await phone.signIn(platformId);
    expect((await tablesHolding(canary)).length).toBeGreaterThan(3);
    const answer = await browser.post('/me/erase', { confirmation: ' erase ' });
    expect(answer.status).toBe(200);
    const logged = scene.service.logLines.length;
    expect(await answer.text()).toContain('Everything about you is erased');

    expect(await tablesHolding(canary)).toEqual([]);
    expect(await tablesHolding(platformId)).toEqual([
      'public.audit_entries',
      'public.blacklist',
      'public.whitelist_rules',
    ]);
    for (const signedIn of [browser, phone]) {
      expect(await signedIn.text('/me')).not.toContain('You are signed in');
    }
    // Of two pairs that one bot got, the later took the place of the earlier.
    await eventually(10_000, async () => {
      for (const { accessToken } of pairs.slice(1)) {
        await expect(scene.oauth.readCurrentUser(accessToken)).rejects.toThrow();
      }
    });
    expect(scene.service.logLines.slice(logged).join('\n')).not.toContain(canary);
    expect(await countsOf(first)).toEqual([1, 1]);
    expect((await listMembers(first)).body.data[0].platformId).toBe(other.owner.platformId);

    for (const owner of [first.owner, foreign.owner]) {
      const entries = (await auditOf(owner)).data.filter(
        ({ action }: { action: string }) => action === 'member.erase',
      );
      expect(entries).toHaveLength(1);
      expect(entries[0]).toMatchObject({
        subject: { type: 'member', id: platformId },
        changes: {},
      });
    }
  });

  test('needs the word to be typed', async () => {
    const platformId = randomPlatformId();
    const place = await newPlace(scene.service);
    await scene.addMember(place, platformId);
    const browser = openBrowser(scene);
    await browser.signIn(platformId);
    for (const confirmation of ['', 'yes', 'ERASE!', '<b>']) {
      const answer = await browser.post('/me/erase', { confirmation });
      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain('Nothing was erased');
    }
    expect(await countsOf(place)).toEqual([1, 1]);
  });

  test('five times at once is one erasure, and no request fails', async () => {
    const platformId = randomPlatformId();
    const place = await newPlace(scene.service);
    await scene.addMember(place, platformId);
    const browser = openBrowser(scene);
    await browser.signIn(platformId);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => browser.post('/me/erase', { confirmation: 'ERASE' })),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    const entries = (await auditOf(place.owner)).data;
    const erasures = entries.filter(({ action }: { action: string }) => action === 'member.erase');
    expect(erasures).toHaveLength(1);
  });
});
