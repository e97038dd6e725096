import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { type PeopleFixture, startPeopleFixture } from '../../../../test/harness/erasure/people.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import { newServer } from '../../../../test/harness/members.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import { generateMasterKey, parseKeyRing } from '../../../kernel/seal.ts';
import { Secret } from '../../../kernel/secret.ts';
import { refreshDue } from '../jobs.ts';
import { findTokens, type TokenOwner } from '../queries.ts';
import { refreshRow } from './refresh.ts';
import { openToken } from './sealed.ts';

const masterKeys = generateMasterKey();
let fixture: PeopleFixture;
beforeAll(async () => {
  fixture = await startPeopleFixture({ ring: parseKeyRing(masterKeys) });
});
afterAll(() => fixture.stop());

const children: { kill(signal: NodeJS.Signals): void }[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await fixture.simulator.control('DELETE', '/faults');
});

const startWorker = (use?: object) => {
  const child = Bun.spawn(
    [
      process.execPath,
      '--no-env-file',
      join(import.meta.dir, '../../../../test/harness/workers/vault-worker.ts'),
    ],
    {
      env: {
        PATH: process.env.PATH,
        DATABASE_URL: fixture.service.databaseUrl,
        MASTER_KEYS: masterKeys,
        PLATFORM_API_URL: fixture.simulator.apiUrl,
        ...(use && { USE: JSON.stringify(use) }),
      },
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'inherit',
    },
  );
  children.push(child);
  return child;
};

const sql = () => fixture.service.db.$client;
const refreshes = async () =>
  (await fixture.log()).filter(({ path }) => path === '/oauth2/token').length;

test('over many rotations and killed workers only tokens between answer and commit are lost', async () => {
  await fixture.simulator.control('PUT', '/oauth', { tokenLifeMs: 2000 });
  const server = await newServer(fixture.service);
  const people = Array.from({ length: 24 }, randomPlatformId);
  const owners: TokenOwner[] = [];
  for (const person of people) owners.push((await fixture.addMember(server, person)).owner);

  const inFlight = new Set<string>();
  for (const when of ['afterApply', 'afterAnswer', 'afterApply']) {
    const worker = startWorker();
    const match = { method: 'POST', route: '/oauth2/token' };
    const fault = { match, nth: 30, when, action: 'kill', pid: worker.pid };
    await fixture.simulator.control('POST', '/faults', fault);
    await worker.exited;
    await fixture.simulator.control('DELETE', '/faults');
    const claimed = await sql()`
      update member_tokens set refreshing_until = now() - interval '1 second'
      where refreshing_until is not null returning platform_id`;
    for (const { platform_id: person } of claimed) inFlight.add(person);
  }

  // From here on tokens live long, and one last worker refreshes them all.
  await fixture.simulator.control('PUT', '/oauth', { tokenLifeMs: 7 * 86_400_000 });
  startWorker();
  await eventually(20_000, async () => {
    const due =
      await sql()`select 1 from member_tokens where expires_at < now() + interval '1 day'`;
    expect(due).toHaveLength(0);
  });
  const members = await sql()`
    select platform_id, token_status, pullable from members where server_id = ${server.serverId}`;
  const lost = members.filter((row: { token_status: string }) => row.token_status !== 'VALID');
  expect(members).toHaveLength(24);
  // People whom the platform had answered when the worker was killed.
  expect(lost.length).toBeGreaterThanOrEqual(1);
  for (const { platform_id: person, token_status: status, pullable } of lost) {
    expect([inFlight.has(person), status, pullable]).toEqual([true, 'REVOKED', false]);
  }
  const lostPeople = new Set(lost.map((row: { platform_id: string }) => row.platform_id));
  for (const owner of owners) {
    const row = await findTokens(fixture.service.db, owner);
    if (lostPeople.has(owner.platformId)) expect(row).toBeUndefined();
    else await expectGood(owner);
  }

  // Lost tokens are not refreshed again.
  const before = await refreshes();
  expect(before).toBeGreaterThan(24 * 3);
  await sql()`update member_tokens set refresh_at = now() + interval '1 day'`;
  const tools = { ...fixture.vault, log: fixture.service.log };
  await refreshDue(tools, new AbortController().signal);
  expect(await refreshes()).toBe(before);
}, 240_000);

const expectGood = async (owner: TokenOwner): Promise<void> => {
  const row = await findTokens(fixture.service.db, owner);
  if (!row) throw new Error(`${owner.platformId} was lost`);
  const token = openToken(fixture.service.ring, row, 'accessToken');
  expect((await fixture.oauth.readCurrentUser(token)).id).toBe(owner.platformId);
};

test('a hundred uses of one expired token in two processes refresh it once', async () => {
  const server = await newServer(fixture.service);
  const { owner } = await fixture.addMember(server, randomPlatformId());
  await sql()`update member_tokens set expires_at = now() - interval '1 minute'
    where platform_id = ${owner.platformId}`;
  await fixture.simulator.control('DELETE', '/log');
  const match = { method: 'POST', route: '/oauth2/token' };
  await fixture.simulator.control('POST', '/faults', {
    match,
    action: 'delay',
    ms: 300,
    times: 100,
  });

  const { accountId, botId, platformId } = owner;
  const use = { times: 50, owner: { accountId, botId, platformId } };
  const workers = [startWorker(use), startWorker(use)];
  const said = workers.map(({ stdout }) => new Response(stdout).text());
  for (const { stdin } of workers) stdin.end();
  const tokens = (await Promise.all(said))
    .flatMap((text) => text.trim().split('\n'))
    .map((line) => JSON.parse(line))
    .filter((words) => 'token' in words);
  expect(tokens).toHaveLength(100);
  expect(new Set(tokens.map(({ token }) => token)).size).toBe(1);
  expect(tokens[0].token).toMatch(/^[0-9a-f]{64}$/);
  expect(await refreshes()).toBe(1);
  await expectGood(owner);
});

test('a process that read a token while another refreshed it uses the new one', async () => {
  const server = await newServer(fixture.service);
  const { owner } = await fixture.addMember(server, randomPlatformId());
  const match = { method: 'POST', route: '/oauth2/token' };
  await fixture.simulator.control('POST', '/faults', { match, action: 'delay', ms: 500, times: 1 });
  const { db } = fixture.service;
  const read = async () => {
    const row = await findTokens(db, owner);
    if (!row) throw new Error('No tokens');
    return row;
  };
  const before = await refreshes();
  const refreshing = refreshRow(fixture.vault, await read());
  const seen = await eventually(5000, async () => {
    const row = await read();
    expect(row.refreshingUntil).not.toBeNull();
    return row;
  });
  const [first, second] = [await refreshing, await refreshRow(fixture.vault, seen)];
  if (!(first instanceof Secret && second instanceof Secret)) throw new Error('No token');
  expect(second.reveal()).toBe(first.reveal());
  expect(await refreshes()).toBe(before + 1);
});
