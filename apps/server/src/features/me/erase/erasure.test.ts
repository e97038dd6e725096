import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { auditOf } from '../../../../test/harness/api-calls.ts';
import { createServer } from '../../../../test/harness/bots-and-servers.ts';
import {
  openBrowser,
  type PeopleFixture,
  startPeopleFixture,
} from '../../../../test/harness/erasure/people.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import { countsOf, listMembers, newServer } from '../../../../test/harness/members.ts';
import {
  storeAct,
  storeIncident,
  storeNewcomer,
  storeWave,
} from '../../../../test/harness/protection.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import {
  insertAppeal,
  insertAttempt,
  insertDeviceHash,
  insertPendingVerification,
  insertRoleAssignment,
} from '../../../../test/harness/verification/rows.ts';
import { systemClock } from '../../../kernel/clock.ts';
import type { TokenPair } from '../../../platform/oauth/port.ts';
import { isHeld } from '../../protection/raid/queries/review.ts';
import { tendWavesJob } from '../../protection/raid/tend-waves.ts';

const neverAborted = new AbortController().signal;
let fixture: PeopleFixture;
beforeAll(async () => {
  fixture = await startPeopleFixture();
  await fixture.beginRevoking();
});
afterAll(() => fixture.stop());

/** Which tables hold the text in a row of theirs. */
const tablesHolding = async (text: string): Promise<string[]> => {
  const { $client: client } = fixture.service.db;
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
    const { db } = fixture.service;
    const platformId = randomPlatformId();
    const canary = `canary-${crypto.randomUUID()}`;
    await fixture.simulator.control('PUT', `/users/${platformId}`, { username: canary });
    const first = await newServer(fixture.service);
    const second = { owner: first.owner, serverId: await createServer(first.owner) };
    const foreign = await newServer(fixture.service);
    const pairs: TokenPair[] = [];
    for (const server of [first, second, foreign]) {
      const names = { username: canary, displayName: canary, id: crypto.randomUUID() };
      const { owner, pair } = await fixture.addMember(server, platformId, names);
      pairs.push(pair);
      await insertAppeal(db, server, platformId, canary, canary);
      await insertAttempt(db, server, platformId);
      await insertDeviceHash(db, server, platformId);
      await insertPendingVerification(db, server, owner.botId, platformId, canary);
      await insertRoleAssignment(db, server, platformId, names.id);
    }
    const other = await fixture.addMember(first, randomPlatformId());
    const { serverId } = foreign;
    const listed = { platformId, reason: 'rude' };
    const blacklisted = `/api/v1/servers/${serverId}/blacklist`;
    await foreign.owner.call('POST', blacklisted, { body: listed });
    const rule = { type: 'USER_ID', value: platformId };
    await first.owner.call('POST', `/api/v1/servers/${first.serverId}/whitelist`, { body: rule });

    const [browser, phone] = [openBrowser(fixture), openBrowser(fixture)];
    await browser.signIn(platformId);
    await phone.signIn(platformId);
    expect((await tablesHolding(canary)).length).toBeGreaterThan(3);
    const answer = await browser.post('/me/erase', { confirmation: ' erase ' });
    expect(answer.status).toBe(200);
    const logged = fixture.service.logLines.length;
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
    // Of two pairs that one bot got, the later one replaced the earlier one.
    await eventually(10_000, async () => {
      for (const { accessToken } of pairs.slice(1)) {
        await expect(fixture.oauth.readCurrentUser(accessToken)).rejects.toThrow();
      }
    });
    expect(fixture.service.logLines.slice(logged).join('\n')).not.toContain(canary);
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

  test('leaves the platform id alone in raids and incidents, and releases nobody who is held', async () => {
    const { db, queue } = fixture.service;
    const platformId = randomPlatformId();
    const canary = `canary-${crypto.randomUUID()}`;
    const [held, kept] = [await newServer(fixture.service), await newServer(fixture.service)];
    const person = { platformId, username: canary, nameKey: canary };
    for (const [{ owner, serverId }, status] of [
      [held, 'held'],
      [kept, 'kept'],
    ] as const) {
      const of = { db, accountId: owner.accountId };
      const incidentId = await storeWave(of, serverId);
      await storeNewcomer(of, { serverId, incidentId, status, ...person });
      const endedAt = status === 'kept' ? new Date() : null;
      const nuke = await storeIncident(of, serverId, {
        incident: { endedAt },
        executor: { platformId, username: canary },
      });
      const renamed = { executorId: platformId, targetId: platformId, before: { nick: canary } };
      await storeAct(of, { serverId, incidentId: nuke.id, ...renamed, after: { nick: null } });
    }

    const browser = openBrowser(fixture);
    await browser.signIn(platformId);
    const { servers } = await (await browser.go('/me/export')).json();
    expect(servers).toHaveLength(2);
    expect(servers).toContainEqual(
      expect.objectContaining({
        joins: [expect.objectContaining({ username: canary, status: 'held', isYoung: true })],
        incidents: [expect.objectContaining({ username: canary, rolesTaken: ['12'] })],
        acts: [expect.objectContaining({ action: 'channelDeleted', targetId: platformId })],
      }),
    );
    expect(await browser.text('/me')).toContain('the owner has to decide about you');
    await browser.post('/me/erase', { confirmation: 'ERASE' });

    expect(await tablesHolding(canary)).toEqual([]);
    const newcomers = () =>
      db.$client`select server_id from raid_newcomers where platform_id = ${platformId}`;
    expect(await newcomers()).toEqual([{ server_id: held.serverId }]);
    const { accountId } = held.owner;
    expect(await isHeld(db, { accountId, serverId: held.serverId, platformId })).toBe(true);
    const roles = await db.$client`select roles_taken from incident_executors
      where platform_id = ${platformId} order by jsonb_array_length(roles_taken)`;
    expect(roles).toEqual([{ roles_taken: [] }, { roles_taken: ['12'] }]);
    for (const { owner } of [held, kept]) {
      const actions = (await auditOf(owner)).data.map(({ action }: { action: string }) => action);
      expect(actions).toContain('member.erase');
    }
    const tend = () => tendWavesJob({ db, queue, clock: systemClock }).run({}, neverAborted);
    await tend();
    expect(await newcomers()).toHaveLength(1);
    await db.$client`update raid_newcomers set status = 'kept' where platform_id = ${platformId}`;
    await tend();
    expect(await newcomers()).toHaveLength(0);
  });

  test('needs the word to be typed', async () => {
    const platformId = randomPlatformId();
    const server = await newServer(fixture.service);
    await fixture.addMember(server, platformId);
    const browser = openBrowser(fixture);
    await browser.signIn(platformId);
    for (const confirmation of ['', 'yes', 'ERASE!', '<b>']) {
      const answer = await browser.post('/me/erase', { confirmation });
      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain('Nothing was erased');
    }
    expect(await countsOf(server)).toEqual([1, 1]);
  });

  test('five times at once is one erasure, and no request fails', async () => {
    const platformId = randomPlatformId();
    const server = await newServer(fixture.service);
    await fixture.addMember(server, platformId);
    const browser = openBrowser(fixture);
    await browser.signIn(platformId);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => browser.post('/me/erase', { confirmation: 'ERASE' })),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    const entries = (await auditOf(server.owner)).data;
    const erasures = entries.filter(({ action }: { action: string }) => action === 'member.erase');
    expect(erasures).toHaveLength(1);
  });
});
