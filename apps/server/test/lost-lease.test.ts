import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { takeBackup } from '../src/features/backups/take-backup.ts';
import { markTokens } from '../src/features/members/person/queries.ts';
import { executePull } from '../src/features/pulls/execute.ts';
import { executeRestore } from '../src/features/restores/execute.ts';
import { systemClock } from '../src/kernel/clock.ts';
import { newId } from '../src/kernel/ids.ts';
import { createFileStore } from '../src/integrations/blobs/file-store.ts';
import { createSealedBlobs } from '../src/integrations/blobs/sealed-blobs.ts';
import { createPlatformMetrics } from '../src/platform/metrics.ts';
import { createPlatformOAuth } from '../src/platform/oauth.ts';
import { type HeldLease, LeaseLost } from '../src/queue/lease.ts';
import { leaveToAnyone } from '../src/queue/queries.ts';
import { createBackupScene } from './backup-scene.ts';
import { largeGuild } from './large-guild.ts';
import { type OnRequest, startPlatformProxy } from './platform-proxy.ts';
import { type PullScene, startPullScene } from './pull-scene.ts';
import { backupToolsOf, holdBackupLease, holdLease, takeBackupNow } from './take-backup-now.ts';

/**
 * A worker whose lease another has taken, and who does not know it yet: by its own clock it still
 * holds it. It may neither make a call that changes anything nor write that its work is done.
 */
let scene: PullScene;
let onRequest: OnRequest = async () => undefined;
let proxy: ReturnType<typeof startPlatformProxy>;
beforeAll(async () => {
  scene = await startPullScene({ doesWork: false });
  proxy = startPlatformProxy(scene.simulator.apiUrl, (request) => onRequest(request));
}, 60_000);
afterAll(async () => {
  await proxy.stop();
  await scene.stop();
});

/** A small one is enough, and no picture in it. */
const smallGuild = (guildId: string, channels: number) =>
  largeGuild(guildId, { channels, roles: 3, emojis: 0, pictureBytes: 0 });

const giveToAnother = (subject: string) =>
  scene.db.transaction((tx) => leaveToAnyone(tx, { subject, jobId: newId() }, 60_000));

const expectLost = async (lease: HeldLease, work: Promise<unknown>) => {
  try {
    // A run ends by the reason of its signal, or by what the transaction threw.
    await expect(work).rejects.toBeInstanceOf(LeaseLost);
  } finally {
    lease.letGo();
  }
};

const changesIn = async (guildId: string): Promise<string[]> =>
  (await scene.log())
    .filter(({ method, path }) => method !== 'GET' && path.includes(guildId))
    .map(({ method, path }) => `${method} ${path}`);

const pullTools = () => {
  const { apiUrl } = proxy;
  const metrics = createPlatformMetrics(new Registry());
  const oauth = createPlatformOAuth({ apiUrl, metrics });
  return { ...backupToolsOf(scene.service, apiUrl), oauth, clock: systemClock, markTokens };
};

test('a pull makes no call', async () => {
  const place = await scene.newPlace();
  await scene.addMembers(place, 3);
  const owner = { accountId: place.owner.accountId, pullId: await scene.begin(place) };
  const subject = `pull:${owner.pullId}`;
  const lease = await holdLease(scene.service, subject);
  let reads = 0;
  // Its first look at the guild, after all that it does for everybody at once.
  onRequest = async ({ method }) => {
    if (method === 'GET' && ++reads === 1) await giveToAnother(subject);
    return undefined;
  };
  const { signal } = lease;
  await expectLost(lease, executePull(pullTools(), owner, { signal, lease }));
  expect(reads).toBeGreaterThan(0);
  expect(await scene.additions(place)).toEqual([]);
});

test('a restore makes no call', async () => {
  const place = await scene.newPlace();
  const guild = smallGuild(place.guildId, 4);
  await scene.simulator.control('PUT', `/guilds/${place.guildId}`, guild);
  const backups = createBackupScene(scene.service, scene.simulator);
  const server = { tenant: place.owner, guildId: place.guildId, serverId: place.serverId };
  const { accountId } = place.owner;
  const tools = backupToolsOf(scene.service, proxy.apiUrl);
  onRequest = async () => undefined;
  const backupId = await backups.begin(server);
  await takeBackupNow(tools, { accountId, backupId });
  const path = `${backups.backupsOf(place.serverId)}/${backupId}/restore`;
  const begun = await place.owner.call('POST', path, { body: {} });
  const owner = { accountId, restoreId: begun.body.data.id };
  const subject = `restore:${owner.restoreId}`;

  // The first worker stops when the plan is written and before anything is changed.
  const first = await holdLease(scene.service, subject);
  const stopping = new AbortController();
  onRequest = async ({ method }) => {
    if (method === 'GET') return undefined;
    stopping.abort(new Error('The worker stops'));
    return new Response(null, { status: 503 });
  };
  const signal = AbortSignal.any([first.signal, stopping.signal]);
  await expect(executeRestore(tools, owner, { signal, lease: first })).rejects.toThrow();
  expect(stopping.signal.aborted).toBe(true);
  expect(await changesIn(place.guildId)).toEqual([]);

  onRequest = async () => undefined;
  await giveToAnother(subject);
  await expectLost(first, executeRestore(tools, owner, { signal: first.signal, lease: first }));
  expect(await changesIn(place.guildId)).toEqual([]);
}, 30_000);

test('a backup is not completed', async () => {
  const backups = createBackupScene(scene.service, scene.simulator);
  const server = await backups.newServer({});
  const { accountId } = server.tenant;
  const put = (channels: number) =>
    scene.simulator.control(
      'PUT',
      `/guilds/${server.guildId}`,
      smallGuild(server.guildId, channels),
    );
  const tools = backupToolsOf(scene.service, scene.simulator.apiUrl);
  await put(5);
  const before = { accountId, backupId: await backups.begin(server) };
  await takeBackupNow(tools, before);
  const { checksum } = await backups.read(server, before.backupId);
  await put(6);
  const owner = { accountId, backupId: await backups.begin(server) };
  const lease = await holdBackupLease(tools, owner);
  // With the last backup it compares itself when all of its own objects are stored.
  const store = createFileStore(join(scene.service.dataDir, 'blobs'));
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
    scene.service.ring,
  );
  const { signal } = lease;
  await expectLost(lease, takeBackup({ ...tools, blobs: watched }, owner, { signal, lease }));
  expect(comparisons).toBe(1);
  expect(await backups.read(server, owner.backupId)).toMatchObject({
    ...{ status: 'running', checksum: null, completedAt: null },
  });
}, 30_000);
