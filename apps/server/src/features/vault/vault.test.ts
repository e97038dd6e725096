import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { eventually } from '../../../test/eventually.ts';
import { createBot, createServer, randomPlatformId } from '../../../test/harness.ts';
import { newPlace, type Place } from '../../../test/member-rows.ts';
import { type PeopleScene, startPeopleScene } from '../../../test/people-scene.ts';
import { Secret } from '../../kernel/secret.ts';
import { forgetTokens } from './forget.ts';
import { refreshDue } from './jobs.ts';
import { findTokens, type TokenOwner } from './queries.ts';
import { refreshRow } from './refresh.ts';
import { refreshMoment } from './rules.ts';
import { openToken } from './sealed.ts';
import { freshToken, keepTokens } from './vault.ts';

let scene: PeopleScene;
let place: Place;
beforeAll(async () => {
  scene = await startPeopleScene();
  place = await newPlace(scene.service);
  await scene.beginRevoking();
}, 60_000);
afterAll(() => scene.stop());
afterEach(async () => {
  await scene.simulator.control('DELETE', '/faults');
});

const sql = () => scene.service.db.$client;
const tokenCall = { method: 'POST', route: '/oauth2/token' };
const newMember = async (at = place) => (await scene.addMember(at, randomPlatformId())).owner;
const rowOf = async (owner: TokenOwner) => {
  const row = await findTokens(scene.service.db, owner);
  if (!row) throw new Error('No tokens');
  return row;
};
const expire = ({ platformId }: TokenOwner) =>
  sql()`update member_tokens set expires_at = now() - interval '1 minute', refresh_at = now()
    where platform_id = ${platformId}`;
const statusOf = async ({ platformId }: TokenOwner) => {
  const [row] = await sql()`select token_status from members where platform_id = ${platformId}`;
  return row.token_status;
};
const isGood = async (token: Secret) =>
  scene.oauth.readCurrentUser(token).then(
    () => true,
    () => false,
  );
const callsTo = async (path: string) =>
  (await scene.log()).filter((call) => call.path === path).length;

describe('a token', () => {
  test('is handed out as it is while it is good, without a call', async () => {
    const owner = await newMember();
    const before = await callsTo('/oauth2/token');
    const token = await freshToken(scene.vault, owner);
    expect(token instanceof Secret && (await isGood(token))).toBe(true);
    expect(await callsTo('/oauth2/token')).toBe(before);
  });

  test('that expired is refreshed before it is used, and the new pair is kept', async () => {
    const owner = await newMember();
    const before = await rowOf(owner);
    await expire(owner);
    const token = await freshToken(scene.vault, owner);
    const after = await rowOf(owner);
    expect(token instanceof Secret && (await isGood(token))).toBe(true);
    expect(openToken(scene.service.ring, after, 'accessToken').reveal()).toBe(
      token instanceof Secret ? token.reveal() : '',
    );
    expect(after.refreshToken).not.toBe(before.refreshToken);
    expect(after.refreshingUntil).toBeNull();
  });

  test('is nobody’s after the platform said that the grant is gone', async () => {
    const owner = await newMember();
    const { accountId, platformId } = owner;
    await scene.simulator.control('PUT', `/users/${platformId}`, { tokenState: 'revoked' });
    await expire(owner);
    expect(await freshToken(scene.vault, owner)).toEqual({ kind: 'revoked' });
    expect(await statusOf(owner)).toBe('REVOKED');
    expect(await findTokens(scene.service.db, { ...owner, accountId })).toBeUndefined();
    expect(await freshToken(scene.vault, owner)).toEqual({ kind: 'none' });
  });

  test.each([
    ['a cut connection', { action: 'reset' }],
    ['a 502 in HTML', { action: 'status', status: 502, body: '<html>' }],
    ['a 500', { action: 'status', status: 500 }],
    ['a wish to wait', { action: 'status', status: 429, body: { retry_after: 1 } }],
    ['an answer that is no answer', { action: 'status', status: 200, body: { a: 1 } }],
    ['another refusal', { action: 'status', status: 400, body: { error: 'invalid_request' } }],
  ])('outlives %s', async (_, fault) => {
    const owner = await newMember();
    await expire(owner);
    const faults = { match: tokenCall, times: 10, ...fault };
    await scene.simulator.control('POST', '/faults', faults);
    expect(await freshToken(scene.vault, owner)).toEqual({ kind: 'unreachable' });
    expect(await statusOf(owner)).toBe('EXPIRED');
    await scene.simulator.control('DELETE', '/faults');
    const token = await freshToken(scene.vault, owner);
    expect(token instanceof Secret && (await isGood(token))).toBe(true);
    expect(await statusOf(owner)).toBe('VALID');
  });

  test('whose bot has a wrong secret is kept, and the platform is not asked for each of them', async () => {
    const owner = await scene.service.newTenant();
    const customBotId = await createBot(owner, { clientSecret: 'wrong' });
    const other = { owner, serverId: await createServer(owner, { customBotId }) };
    const members: TokenOwner[] = [];
    for (let made = 0; made < 30; made++) members.push(await newMember(other));
    const { clientId } = (await owner.call('GET', '/api/v1/bots')).body.data[0];
    await scene.simulator.control('PUT', `/bots/${clientId}`, { clientSecret: 'right' });
    for (const member of members) await expire(member);
    const before = await callsTo('/oauth2/token');
    const tools = { ...scene.vault, log: scene.service.log };
    await refreshDue(tools, new AbortController().signal);
    expect((await callsTo('/oauth2/token')) - before).toBeLessThanOrEqual(8);
    const again = await callsTo('/oauth2/token');
    await refreshDue(tools, new AbortController().signal);
    expect(await callsTo('/oauth2/token')).toBe(again);
    const kept = await sql()`select 1 from member_tokens where bot_id = ${customBotId}`;
    expect(kept).toHaveLength(30);
  });

  test('of a person who let go of it while it was being refreshed is given back', async () => {
    const owner = await newMember();
    await expire(owner);
    const delay = { match: tokenCall, when: 'afterApply', action: 'delay', ms: 500 };
    await scene.simulator.control('POST', '/faults', delay);
    const refreshing = freshToken(scene.vault, owner);
    await Bun.sleep(200);
    await forget(owner);
    expect(await refreshing).toEqual({ kind: 'none' });
    expect(await findTokens(scene.service.db, owner)).toBeUndefined();
    const last = (await scene.log()).filter(({ path }) => path === '/oauth2/token/revoke').at(-1);
    expect(last?.status).toBe(200);
  });

  test('outlives a database that balks for seconds after the platform has answered', async () => {
    const owner = await newMember();
    await expire(owner);
    const delay = { match: tokenCall, when: 'afterApply', action: 'delay', ms: 600 };
    await scene.simulator.control('POST', '/faults', delay);
    const refreshing = freshToken(scene.vault, owner);
    await Bun.sleep(300);
    // Longer than a statement may wait.
    await sql().begin(async (tx) => {
      await tx`select 1 from member_tokens where platform_id = ${owner.platformId} for update`;
      await Bun.sleep(5500);
    });
    const token = await refreshing;
    expect(token instanceof Secret && (await isGood(token))).toBe(true);
    const kept = openToken(scene.service.ring, await rowOf(owner), 'accessToken').reveal();
    expect(token instanceof Secret && token.reveal()).toBe(kept);
  });

  test('that was given anew while the old one was being refreshed is the one that counts', async () => {
    const { owner } = await scene.addMember(place, randomPlatformId());
    await expire(owner);
    const delay = { match: tokenCall, when: 'afterApply', action: 'delay', ms: 500 };
    await scene.simulator.control('POST', '/faults', delay);
    const refreshing = freshToken(scene.vault, owner);
    await Bun.sleep(200);
    const pair = await scene.agreeTo(owner.clientId, owner.platformId);
    await scene.service.db.transaction((tx) => keepTokens(tx, scene.vault, owner, pair));
    const token = await refreshing;
    expect(token instanceof Secret && token.reveal()).toBe(pair.accessToken.reveal());
    expect(await isGood(pair.accessToken)).toBe(true);
  });

  test('whose refresh was begun by one who died is refreshed by who waits for it', async () => {
    const owner = await newMember();
    await expire(owner);
    await sql()`update member_tokens set refreshing_until = now() + interval '2 seconds'
      where platform_id = ${owner.platformId}`;
    const before = await callsTo('/oauth2/token');
    const waiting = [freshToken(scene.vault, owner), freshToken(scene.vault, owner)];
    for (const token of await Promise.all(waiting)) {
      expect(token instanceof Secret && (await isGood(token))).toBe(true);
    }
    expect(await callsTo('/oauth2/token')).toBe(before + 1);
  });

  test('is not refreshed again by who saw it before somebody else did', async () => {
    const owner = await newMember();
    const seen = await rowOf(owner);
    await refreshRow(scene.vault, seen);
    const before = await callsTo('/oauth2/token');
    const token = await refreshRow(scene.vault, seen);
    expect(token instanceof Secret && (await isGood(token))).toBe(true);
    expect(await callsTo('/oauth2/token')).toBe(before);
  });
});

const forget = (owner: TokenOwner) =>
  scene.service.db.transaction((tx) =>
    forgetTokens(tx, { ring: scene.service.ring, queue: scene.queue }, owner),
  );

describe('a forgotten token', () => {
  test('is gone at once, is revoked at the platform, and the queue cannot tell whose it was', async () => {
    const { owner, pair } = await scene.addMember(place, randomPlatformId());
    expect(await forget(owner)).toBe(true);
    expect(await findTokens(scene.service.db, owner)).toBeUndefined();
    await eventually(10_000, async () => expect(await isGood(pair.accessToken)).toBe(false));
    for (const secret of [
      owner.platformId,
      pair.refreshToken.reveal(),
      pair.accessToken.reveal(),
    ]) {
      const rows = await sql().unsafe(
        'select 1 from pgboss.job as row where strpos(row::text, $1) > 0',
        [secret],
      );
      expect(rows).toHaveLength(0);
    }
    expect(await sql()`select 1 from pgboss.job where name = 'vault.revoke'`).not.toHaveLength(0);
  });

  test('is not revoked when the person has agreed anew since', async () => {
    const { owner, pair } = await scene.addMember(place, randomPlatformId());
    const newPair = await scene.agreeTo(owner.clientId, owner.platformId);
    const before = await callsTo('/oauth2/token/revoke');
    await scene.service.db.transaction(async (tx) => {
      await forgetTokens(tx, { ring: scene.service.ring, queue: scene.queue }, owner);
      await keepTokens(tx, scene.vault, owner, newPair);
    });
    await eventually(10_000, async () => {
      const open = await sql()`
        select 1 from pgboss.job where name = 'vault.revoke' and state <> 'completed'`;
      expect(open).toHaveLength(0);
    });
    expect(await callsTo('/oauth2/token/revoke')).toBe(before);
    expect(await isGood(newPair.accessToken)).toBe(true);
    expect(await isGood(pair.accessToken)).toBe(true);
  });

  test('that was not there is no work', async () => {
    const owner = await newMember();
    await forget(owner);
    expect(await forget(owner)).toBe(false);
  });
});

test('the moment of the refresh lies in the later half of the life, never in its last seventh', () => {
  const now = new Date('2030-01-01T00:00:00Z');
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 10 ** 10 }),
      fc.double({ min: 0, max: 0.9999, noNaN: true }),
      (lifeMs, random) => {
        const moment = refreshMoment(now, new Date(now.getTime() + lifeMs), random);
        const share = (moment.getTime() - now.getTime()) / Math.max(1, lifeMs);
        expect(share).toBeLessThanOrEqual(6 / 7);
        if (lifeMs > 1000) expect(share).toBeGreaterThan(0.499);
      },
    ),
  );
});
