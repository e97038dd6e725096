import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createBot, createServer } from '../../../test/harness/bots-and-servers.ts';
import { type PeopleFixture, startPeopleFixture } from '../../../test/harness/erasure/people.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { newServer, type OwnedServer } from '../../../test/harness/members.ts';
import { randomPlatformId } from '../../../test/harness/service.ts';
import { closeDatabase, connectDatabase } from '../../db/connect.ts';
import { Secret } from '../../kernel/secret.ts';
import { refreshDue } from './jobs.ts';
import { findTokens, type TokenOwner } from './queries.ts';
import { refreshMoment } from './rules.ts';
import { deleteAndRevokeTokens } from './tokens/delete.ts';
import { getUsableToken, refreshRow } from './tokens/refresh.ts';
import { openToken } from './tokens/sealed.ts';
import { storeTokens } from './tokens/store.ts';

let fixture: PeopleFixture;
let server: OwnedServer;
beforeAll(async () => {
  fixture = await startPeopleFixture();
  server = await newServer(fixture.service);
  await fixture.beginRevoking();
});
afterAll(() => fixture.stop());
afterEach(async () => {
  await fixture.simulator.control('DELETE', '/faults');
});

const sql = () => fixture.service.db.$client;
const tokenCall = { method: 'POST', route: '/oauth2/token' };
const newMember = async (at = server) => (await fixture.addMember(at, randomPlatformId())).owner;
const rowOf = async (owner: TokenOwner) => {
  const row = await findTokens(fixture.service.db, owner);
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
  fixture.oauth.readCurrentUser(token).then(
    () => true,
    () => false,
  );
const callsTo = async (path: string) =>
  (await fixture.log()).filter((call) => call.path === path).length;

describe('a token', () => {
  test('is returned unchanged while it is valid, without a call', async () => {
    const owner = await newMember();
    const before = await callsTo('/oauth2/token');
    const token = await getUsableToken(fixture.vault, owner);
    expect(token instanceof Secret && (await isGood(token))).toBe(true);
    expect(await callsTo('/oauth2/token')).toBe(before);
  });

  test('that expired is refreshed before it is used, and the new pair is stored', async () => {
    const owner = await newMember();
    const before = await rowOf(owner);
    await expire(owner);
    const token = await getUsableToken(fixture.vault, owner);
    const after = await rowOf(owner);
    expect(token instanceof Secret && (await isGood(token))).toBe(true);
    expect(openToken(fixture.service.ring, after, 'accessToken').reveal()).toBe(
      token instanceof Secret ? token.reveal() : '',
    );
    expect(after.refreshToken).not.toBe(before.refreshToken);
    expect(after.refreshingUntil).toBeNull();
  });

  test('is deleted after the platform says that the grant is revoked', async () => {
    const owner = await newMember();
    const { accountId, platformId } = owner;
    await fixture.simulator.control('PUT', `/users/${platformId}`, { tokenState: 'revoked' });
    await expire(owner);
    expect(await getUsableToken(fixture.vault, owner)).toEqual({ kind: 'revoked' });
    expect(await statusOf(owner)).toBe('REVOKED');
    expect(await findTokens(fixture.service.db, { ...owner, accountId })).toBeUndefined();
    expect(await getUsableToken(fixture.vault, owner)).toEqual({ kind: 'none' });
  });

  test.each([
    ['a cut connection', { action: 'reset' }],
    ['a 502 in HTML', { action: 'status', status: 502, body: '<html>' }],
    ['a 500', { action: 'status', status: 500 }],
    ['a wish to wait', { action: 'status', status: 429, body: { retry_after: 1 } }],
    ['an answer that is no answer', { action: 'status', status: 200, body: { a: 1 } }],
    ['another refusal', { action: 'status', status: 400, body: { error: 'invalid_request' } }],
  ])('survives %s', async (_, fault) => {
    const owner = await newMember();
    await expire(owner);
    const faults = { match: tokenCall, times: 10, ...fault };
    await fixture.simulator.control('POST', '/faults', faults);
    expect(await getUsableToken(fixture.vault, owner)).toEqual({ kind: 'unreachable' });
    expect(await statusOf(owner)).toBe('EXPIRED');
    await fixture.simulator.control('DELETE', '/faults');
    const token = await getUsableToken(fixture.vault, owner);
    expect(token instanceof Secret && (await isGood(token))).toBe(true);
    expect(await statusOf(owner)).toBe('VALID');
  });

  test('whose bot has a wrong secret is kept, and the platform is not asked for each of them', async () => {
    const owner = await fixture.service.newTenant();
    const customBotId = await createBot(owner, { clientSecret: 'wrong' });
    const other = { owner, serverId: await createServer(owner, { customBotId }) };
    const members: TokenOwner[] = [];
    for (let made = 0; made < 30; made++) members.push(await newMember(other));
    const { clientId } = (await owner.call('GET', '/api/v1/bots')).body.data[0];
    await fixture.simulator.control('PUT', `/bots/${clientId}`, { clientSecret: 'right' });
    for (const member of members) await expire(member);
    const before = await callsTo('/oauth2/token');
    const tools = { ...fixture.vault, log: fixture.service.log };
    await refreshDue(tools, new AbortController().signal);
    expect((await callsTo('/oauth2/token')) - before).toBeLessThanOrEqual(8);
    const again = await callsTo('/oauth2/token');
    await refreshDue(tools, new AbortController().signal);
    expect(await callsTo('/oauth2/token')).toBe(again);
    const kept = await sql()`select 1 from member_tokens where bot_id = ${customBotId}`;
    expect(kept).toHaveLength(30);
  });

  test('that was deleted while it was being refreshed is revoked', async () => {
    const owner = await newMember();
    await expire(owner);
    const delay = { match: tokenCall, when: 'afterApply', action: 'delay', ms: 500 };
    await fixture.simulator.control('POST', '/faults', delay);
    const refreshing = getUsableToken(fixture.vault, owner);
    await Bun.sleep(200);
    await forget(owner);
    expect(await refreshing).toEqual({ kind: 'none' });
    expect(await findTokens(fixture.service.db, owner)).toBeUndefined();
    const last = (await fixture.log()).filter(({ path }) => path === '/oauth2/token/revoke').at(-1);
    expect(last?.status).toBe(200);
  });

  test('survives a database that fails for seconds after the platform has answered', async () => {
    const owner = await newMember();
    await expire(owner);
    const delay = { match: tokenCall, when: 'afterApply', action: 'delay', ms: 600 };
    await fixture.simulator.control('POST', '/faults', delay);
    const statementTimeoutMs = 300;
    const db = connectDatabase(fixture.service.databaseUrl, { name: 'short', statementTimeoutMs });
    const refreshing = getUsableToken({ ...fixture.vault, db }, owner);
    await Bun.sleep(300);
    await sql().begin(async (tx) => {
      await tx`select 1 from member_tokens where platform_id = ${owner.platformId} for update`;
      await Bun.sleep(600 + 3 * statementTimeoutMs);
    });
    const token = await refreshing;
    await closeDatabase(db);
    expect(token instanceof Secret && (await isGood(token))).toBe(true);
    const kept = openToken(fixture.service.ring, await rowOf(owner), 'accessToken').reveal();
    expect(token instanceof Secret && token.reveal()).toBe(kept);
  });

  test.each([
    ['has a new pair', { when: 'afterApply', action: 'delay' }],
    ['is refused', { action: 'status', status: 400, body: { error: 'invalid_grant' } }],
    ['fails', { action: 'status', status: 400, body: { error: 'invalid_request' } }],
  ])('that is given again during a refresh that %s is used, and valid', async (_, fault) => {
    const { owner } = await fixture.addMember(server, randomPlatformId());
    await expire(owner);
    const late = { match: tokenCall, ms: 700, ...fault };
    await fixture.simulator.control('POST', '/faults', late);
    const refreshing = getUsableToken(fixture.vault, owner);
    await eventually(10_000, async () =>
      expect((await rowOf(owner)).refreshingUntil).not.toBeNull(),
    );
    const pair = await fixture.agreeTo(owner.clientId, owner.platformId);
    await fixture.service.db.transaction((tx) => storeTokens(tx, fixture.vault, owner, pair));
    const token = await refreshing;
    expect(token instanceof Secret && token.reveal()).toBe(pair.accessToken.reveal());
    expect(await isGood(pair.accessToken)).toBe(true);
    expect(await statusOf(owner)).toBe('VALID');
    const [stored] = await sql()`select refresh_at > now() + interval '1 day' as is_late
      from member_tokens where platform_id = ${owner.platformId}`;
    expect(stored).toEqual({ is_late: true });
  });

  test('whose refresher died is refreshed by a process that waits for it', async () => {
    const owner = await newMember();
    await expire(owner);
    await sql()`update member_tokens set refreshing_until = now() + interval '2 seconds'
      where platform_id = ${owner.platformId}`;
    const before = await callsTo('/oauth2/token');
    const waiting = [getUsableToken(fixture.vault, owner), getUsableToken(fixture.vault, owner)];
    for (const token of await Promise.all(waiting)) {
      expect(token instanceof Secret && (await isGood(token))).toBe(true);
    }
    expect(await callsTo('/oauth2/token')).toBe(before + 1);
  });

  test('is not refreshed again by a process that read it before another refreshed it', async () => {
    const owner = await newMember();
    const seen = await rowOf(owner);
    await refreshRow(fixture.vault, seen);
    const before = await callsTo('/oauth2/token');
    const token = await refreshRow(fixture.vault, seen);
    expect(token instanceof Secret && (await isGood(token))).toBe(true);
    expect(await callsTo('/oauth2/token')).toBe(before);
  });
});

const forget = (owner: TokenOwner) =>
  fixture.service.db.transaction((tx) =>
    deleteAndRevokeTokens(tx, { ring: fixture.service.ring, queue: fixture.queue }, owner),
  );

describe('a deleted token', () => {
  test('is gone at once, is revoked at the platform, and the queue does not show whose it was', async () => {
    const { owner, pair } = await fixture.addMember(server, randomPlatformId());
    expect(await forget(owner)).toBe(true);
    expect(await findTokens(fixture.service.db, owner)).toBeUndefined();
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

  test('is not revoked if the person has consented again since', async () => {
    const { owner, pair } = await fixture.addMember(server, randomPlatformId());
    const newPair = await fixture.agreeTo(owner.clientId, owner.platformId);
    const before = await callsTo('/oauth2/token/revoke');
    await fixture.service.db.transaction(async (tx) => {
      await deleteAndRevokeTokens(tx, { ring: fixture.service.ring, queue: fixture.queue }, owner);
      await storeTokens(tx, fixture.vault, owner, newPair);
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

  test('that did not exist enqueues nothing', async () => {
    const owner = await newMember();
    await forget(owner);
    expect(await forget(owner)).toBe(false);
  });
});

test('tokens are refreshed in the second half of their life, never in its last seventh', () => {
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
