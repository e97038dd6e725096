import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { executeBackup } from '../src/features/backups/capture/execute-backup.ts';
import { setTokenStatus } from '../src/features/members/queries/person.ts';
import { executePull } from '../src/features/pulls/run/execute.ts';
import { executeRestore } from '../src/features/restores/run/execute.ts';
import { createFileStore } from '../src/integrations/blobs/file-store.ts';
import { createSealedBlobs } from '../src/integrations/blobs/sealed-blobs.ts';
import { systemClock } from '../src/kernel/clock.ts';
import { newId } from '../src/kernel/ids.ts';
import { createPlatformMetrics } from '../src/platform/metrics.ts';
import { createPlatformOAuth } from '../src/platform/oauth/oauth.ts';
import { type HeldLease, LeaseLost } from '../src/queue/lease/lease.ts';
import { releaseToAnyWorker } from '../src/queue/queries.ts';
import { createBackupFixture } from './harness/backups/fixture.ts';
import {
  backupDependencies,
  holdBackupLease,
  holdLease,
  runBackupNow,
} from './harness/backups/run-backup.ts';
import { largeGuild } from './harness/guilds/large-guild.ts';
import { type OnRequest, startPlatformProxy } from './harness/network/platform-proxy.ts';
import { type PullFixture, startPullFixture } from './harness/pulls/fixture.ts';

/**
 * A worker whose lease another has taken, and who does not know it yet: by its own clock it still
 * holds it. It may neither make a call that changes anything nor write that its work is done.
 */
let fixture: PullFixture;
let onRequest: OnRequest = async () => undefined;
let proxy: ReturnType<typeof startPlatformProxy>;
beforeAll(async () => {
  fixture = await startPullFixture({ doesWork: false });
  proxy = startPlatformProxy(fixture.simulator.apiUrl, (request) => onRequest(request));
});
afterAll(async () => {
  await proxy.stop();
  await fixture.stop();
});

/** A small one is enough, and no picture in it. */
const smallGuild = (guildId: string, channels: number) =>
  largeGuild(guildId, { channels, roles: 3, emojis: 0, pictureBytes: 0 });

const giveToAnother = (subject: string) =>
  fixture.db.transaction((tx) => releaseToAnyWorker(tx, { subject, jobId: newId() }, 60_000));

const expectLost = async (lease: HeldLease, work: Promise<unknown>) => {
  try {
    // A run ends by the reason of its signal, or by what the transaction threw.
    await expect(work).rejects.toBeInstanceOf(LeaseLost);
  } finally {
    lease.stopRenewing();
  }
};

const changesIn = async (guildId: string): Promise<string[]> =>
  (await fixture.log())
    .filter(({ method, path }) => method !== 'GET' && path.includes(guildId))
    .map(({ method, path }) => `${method} ${path}`);

const pullTools = () => {
  const { apiUrl } = proxy;
  const metrics = createPlatformMetrics(new Registry());
  const oauth = createPlatformOAuth({ apiUrl, metrics });
  return {
    ...backupDependencies(fixture.service, apiUrl),
    oauth,
    clock: systemClock,
    setTokenStatus,
  };
};

test('a pull makes no call', async () => {
  const place = await fixture.newServer();
  await fixture.addMembers(place, 3);
  const owner = { accountId: place.owner.accountId, pullId: await fixture.begin(place) };
  const subject = `pull:${owner.pullId}`;
  const lease = await holdLease(fixture.service, subject);
  let reads = 0;
  // Its first look at the guild, after all that it does for everybody at once.
  onRequest = async ({ method }) => {
    if (method === 'GET' && ++reads === 1) await giveToAnother(subject);
    return undefined;
  };
  const { signal } = lease;
  await expectLost(lease, executePull(pullTools(), owner, { signal, lease }));
  expect(reads).toBeGreaterThan(0);
  expect(await fixture.additions(place)).toEqual([]);
});

const runAgain = async () => undefined;

test('a restore makes no call', async () => {
  const place = await fixture.newServer();
  const guild = smallGuild(place.guildId, 4);
  await fixture.simulator.control('PUT', `/guilds/${place.guildId}`, guild);
  const backups = createBackupFixture(fixture.service, fixture.simulator);
  const server = { tenant: place.owner, guildId: place.guildId, serverId: place.serverId };
  const { accountId } = place.owner;
  const dependencies = { ...backupDependencies(fixture.service, proxy.apiUrl), clock: systemClock };
  onRequest = async () => undefined;
  const backupId = await backups.begin(server);
  await runBackupNow(dependencies, { accountId, backupId });
  const path = `${backups.backupsOf(place.serverId)}/${backupId}/restore`;
  const begun = await place.owner.call('POST', path, { body: {} });
  const owner = { accountId, restoreId: begun.body.data.id };
  const subject = `restore:${owner.restoreId}`;

  // The first worker stops when the plan is written and before anything is changed.
  const first = await holdLease(fixture.service, subject);
  const stopping = new AbortController();
  onRequest = async ({ method }) => {
    if (method === 'GET') return undefined;
    stopping.abort(new Error('The worker stops'));
    return new Response(null, { status: 503 });
  };
  const signal = AbortSignal.any([first.signal, stopping.signal]);
  await expect(
    executeRestore(dependencies, owner, { signal, lease: first, runAgain }),
  ).rejects.toThrow();
  expect(stopping.signal.aborted).toBe(true);
  expect(await changesIn(place.guildId)).toEqual([]);

  onRequest = async () => undefined;
  await giveToAnother(subject);
  await expectLost(
    first,
    executeRestore(dependencies, owner, { signal: first.signal, lease: first, runAgain }),
  );
  expect(await changesIn(place.guildId)).toEqual([]);
});

test('a backup is not completed', async () => {
  const backups = createBackupFixture(fixture.service, fixture.simulator);
  const server = await backups.newServer({});
  const { accountId } = server.tenant;
  const put = (channels: number) =>
    fixture.simulator.control(
      'PUT',
      `/guilds/${server.guildId}`,
      smallGuild(server.guildId, channels),
    );
  const tools = backupDependencies(fixture.service, fixture.simulator.apiUrl);
  await put(5);
  const before = { accountId, backupId: await backups.begin(server) };
  await runBackupNow(tools, before);
  const { checksum } = await backups.read(server, before.backupId);
  await put(6);
  const owner = { accountId, backupId: await backups.begin(server) };
  const lease = await holdBackupLease(tools, owner);
  // With the last backup it compares itself when all of its own objects are stored.
  const store = createFileStore(join(fixture.service.dataDir, 'blobs'));
  let comparisons = 0;
  const watched = createSealedBlobs(
    {
      ...store,
      async get(name) {
        if (name.includes(checksum) && ++comparisons === 1) {
          await giveToAnother(`backup:${owner.backupId}`);
        }
        return store.get(name);
      },
    },
    fixture.service.ring,
  );
  const { signal } = lease;
  await expectLost(lease, executeBackup({ ...tools, blobs: watched }, owner, { signal, lease }));
  expect(comparisons).toBe(1);
  expect(await backups.read(server, owner.backupId)).toMatchObject({
    ...{ status: 'running', checksum: null, completedAt: null },
  });
});
