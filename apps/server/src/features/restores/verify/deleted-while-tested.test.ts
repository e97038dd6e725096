import { describe, expect, test } from 'bun:test';
import { type OwnedGuild, startBackupFixture } from '../../../../test/harness/backups/fixture.ts';
import { backupDependencies, runBackupNow } from '../../../../test/harness/backups/run-backup.ts';
import { ownLease } from '../../../../test/harness/own-lease.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import type { SealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { releaseObjects } from '../../backups/objects/release-objects.ts';
import { testBackupJob } from '../jobs.ts';

const { simulator, service, fixture } = await startBackupFixture();

const { signal } = new AbortController();

const takeBackup = async (server: OwnedGuild): Promise<string> => {
  const backupId = await fixture.begin(server);
  const tools = backupDependencies(service, simulator.apiUrl);
  await runBackupNow(tools, { backupId, accountId: server.tenant.accountId });
  return backupId;
};

const deleteAll = async (server: OwnedGuild, backupId: string) => {
  expect((await fixture.delete(server, backupId)).status).toBe(200);
  await releaseObjects(service.db, service.blobs, server.tenant.accountId, signal);
};

/** The next backup has objects of its own, and shares the others. */
const changeGuild = async ({ guildId }: OwnedGuild) => {
  const guild = await simulator.control('GET', `/guilds/${guildId}`);
  const channels = [...guild.channels, { id: randomPlatformId(), name: 'one-more', type: 0 }];
  await simulator.control('PUT', `/guilds/${guildId}`, { ...guild, channels });
};

type Step = 'verify' | 'read';

/** A store in which something happens before the nth object is verified, or after the nth was read. */
const interrupted = (on: Step, nth: number, happen: () => Promise<void>) => {
  const steps = { verify: 0, read: 0 };
  const blobs: SealedBlobs = {
    ...service.blobs,
    async verify(address) {
      steps.verify += 1;
      if (on === 'verify' && steps.verify === nth) await happen();
      return service.blobs.verify(address);
    },
    async read(address) {
      const bytes = await service.blobs.read(address);
      steps.read += 1;
      if (on === 'read' && steps.read === nth) await happen();
      return bytes;
    },
  };
  return { blobs, steps };
};

const runTest = (server: OwnedGuild, backupId: string, blobs: SealedBlobs = service.blobs) => {
  const dependencies = { ...service, blobs, clock: systemClock };
  const owner = { backupId, accountId: server.tenant.accountId };
  return testBackupJob(dependencies).run(owner, signal, ownLease);
};

const complaints = (): string[] =>
  service.logLines.filter((line) => /"level":("error"|"warn"|50|40)/.test(line));

describe('a backup that is deleted while it is test-restored', () => {
  test.each([
    ['before its objects are verified', 'verify', () => 1],
    ['while they are verified', 'verify', ({ verify }) => Math.ceil(verify / 2)],
    ['while it is read', 'read', () => 1],
    ['after it was read, before the result is stored', 'read', ({ read }) => read],
  ] satisfies [string, Step, (all: Record<Step, number>) => number][])(
    '%s, ends the test quietly and fails no other backup',
    async (_, on, nthOf) => {
      const server = await fixture.newServer();
      const other = await takeBackup(server);
      await changeGuild(server);
      const doomed = await takeBackup(server);
      const whole = interrupted('verify', 0, async () => {});
      await runTest(server, doomed, whole.blobs);
      expect(await fixture.read(server, doomed)).toMatchObject({ restorable: true });

      const before = complaints().length;
      let isDeleted = false;
      const { blobs } = interrupted(on, nthOf(whole.steps), async () => {
        await deleteAll(server, doomed);
        isDeleted = true;
      });
      await runTest(server, doomed, blobs);
      expect(isDeleted).toBe(true);
      expect(complaints().slice(before)).toEqual([]);
      expect((await server.tenant.call('GET', '/api/v1/alerts')).body.data).toEqual([]);

      await runTest(server, other);
      expect(await fixture.read(server, other)).toMatchObject({ restorable: true });
    },
  );

  test('of which nothing is shared with another one, ends it quietly too', async () => {
    const server = await fixture.newServer();
    const only = await takeBackup(server);
    const before = complaints().length;
    const { blobs } = interrupted('verify', 2, () => deleteAll(server, only));
    await runTest(server, only, blobs);
    expect((await fixture.storageOf(server)).objects).toBe(0);
    expect(complaints().slice(before)).toEqual([]);
    expect((await server.tenant.call('GET', '/api/v1/alerts')).body.data).toEqual([]);
  });
});
