import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { eventually } from '../../../test/eventually.ts';
import { randomPlatformId } from '../../../test/harness.ts';
import { newPlace } from '../../../test/member-rows.ts';
import { type PeopleScene, startPeopleScene } from '../../../test/people-scene.ts';
import { generateMasterKey, parseKeyRing } from '../../kernel/seal.ts';
import { Secret } from '../../kernel/secret.ts';
import { refreshDue } from './jobs.ts';
import { findTokens, type TokenOwner } from './queries.ts';
import { refreshRow } from './refresh.ts';
import { openToken } from './sealed.ts';

const masterKeys = generateMasterKey();
let scene: PeopleScene;
beforeAll(async () => {
  scene = await startPeopleScene({ ring: parseKeyRing(masterKeys) });
}, 60_000);
afterAll(() => scene.stop());

const children: { kill(signal: NodeJS.Signals): void }[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await scene.simulator.control('DELETE', '/faults');
});

const startWorker = (use?: object) => {
  const child = Bun.spawn(
    [process.execPath, '--no-env-file', join(import.meta.dir, '../../../test/vault-worker.ts')],
    {
      env: {
        PATH: process.env.PATH,
        DATABASE_URL: scene.service.databaseUrl,
        MASTER_KEYS: masterKeys,
        PLATFORM_API_URL: scene.simulator.apiUrl,
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

const sql = () => scene.service.db.$client;
const refreshes = async () =>
  (await scene.log()).filter(({ path }) => path === '/oauth2/token').length;

test('over many rotations and killed workers nobody is lost but who was between answer and commit', async () => {
  await scene.simulator.control('PUT', '/oauth', { tokenLifeMs: 2000 });
  const place = await newPlace(scene.service);
  const people = Array.from({ length: 24 }, randomPlatformId);
  const owners: TokenOwner[] = [];
  for (const person of people) owners.push((await scene.addMember(place, person)).owner);

  const inFlight = new Set<string>();
  for (const when of ['afterApply', 'afterAnswer', 'afterApply']) {
    const worker = startWorker();
    const match = { method: 'POST', route: '/oauth2/token' };
    const fault = { match, nth: 30, when, action: 'kill', pid: worker.pid };
    await scene.simulator.control('POST', '/faults', fault);
    await worker.exited;
    await scene.simulator.control('DELETE', '/faults');
    const claimed = await sql()`
      update member_tokens set refreshing_until = now() - interval '1 second'
      where refreshing_until is not null returning platform_id`;
    for (const { platform_id: person } of claimed) inFlight.add(person);
  }

  // From here on they live long, and one last worker brings everybody home.
  await scene.simulator.control('PUT', '/oauth', { tokenLifeMs: 7 * 86_400_000 });
  startWorker();
  await eventually(20_000, async () => {
    const due =
      await sql()`select 1 from member_tokens where expires_at < now() + interval '1 day'`;
    expect(due).toHaveLength(0);
  });
  const members = await sql()`
    select platform_id, token_status, pullable from members where server_id = ${place.serverId}`;
  const lost = members.filter((row: { token_status: string }) => row.token_status !== 'VALID');
  expect(members).toHaveLength(24);
  // Whoever the platform had answered when the worker was killed.
  expect(lost.length).toBeGreaterThanOrEqual(1);
  for (const { platform_id: person, token_status: status, pullable } of lost) {
    expect([inFlight.has(person), status, pullable]).toEqual([true, 'REVOKED', false]);
  }
  const lostPeople = new Set(lost.map((row: { platform_id: string }) => row.platform_id));
  for (const owner of owners) {
    const row = await findTokens(scene.service.db, owner);
    if (lostPeople.has(owner.platformId)) expect(row).toBeUndefined();
    else await expectGood(owner);
  }

  // Who is lost is not asked about again.
  const before = await refreshes();
  expect(before).toBeGreaterThan(24 * 3);
  await sql()`update member_tokens set refresh_at = now() + interval '1 day'`;
  const tools = { ...scene.vault, log: scene.service.log };
  await refreshDue(tools, new AbortController().signal);
  expect(await refreshes()).toBe(before);
}, 90_000);

const expectGood = async (owner: TokenOwner): Promise<void> => {
  const row = await findTokens(scene.service.db, owner);
  if (!row) throw new Error(`${owner.platformId} was lost`);
  const token = openToken(scene.service.ring, row, 'accessToken');
  expect((await scene.oauth.readCurrentUser(token)).id).toBe(owner.platformId);
};

test('a hundred uses of one expired token in two processes refresh it once', async () => {
  const place = await newPlace(scene.service);
  const { owner } = await scene.addMember(place, randomPlatformId());
  await sql()`update member_tokens set expires_at = now() - interval '1 minute'
    where platform_id = ${owner.platformId}`;
  await scene.simulator.control('DELETE', '/log');
  const match = { method: 'POST', route: '/oauth2/token' };
  await scene.simulator.control('POST', '/faults', { match, action: 'delay', ms: 300, times: 100 });

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
}, 60_000);

test('whoever saw a token while another refreshed it takes what came of that', async () => {
  const place = await newPlace(scene.service);
  const { owner } = await scene.addMember(place, randomPlatformId());
  const match = { method: 'POST', route: '/oauth2/token' };
  await scene.simulator.control('POST', '/faults', { match, action: 'delay', ms: 500, times: 1 });
  const { db } = scene.service;
  const read = async () => {
    const row = await findTokens(db, owner);
    if (!row) throw new Error('No tokens');
    return row;
  };
  const before = await refreshes();
  const refreshing = refreshRow(scene.vault, await read());
  const seen = await eventually(5000, async () => {
    const row = await read();
    expect(row.refreshingUntil).not.toBeNull();
    return row;
  });
  const [first, second] = [await refreshing, await refreshRow(scene.vault, seen)];
  if (!(first instanceof Secret && second instanceof Secret)) throw new Error('No token');
  expect(second.reveal()).toBe(first.reveal());
  expect(await refreshes()).toBe(before + 1);
});
