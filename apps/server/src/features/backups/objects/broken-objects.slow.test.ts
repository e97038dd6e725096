// Takes about 29 s: started before shorter ones.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rename, rm, truncate, writeFile } from 'node:fs/promises';
import {
  type BackupFixture,
  createBackupFixture,
  expectExactStorage,
  type OwnedGuild,
} from '../../../../test/harness/backups/fixture.ts';
import { startTestService, type TestService } from '../../../../test/harness/service.ts';
import { sharedSimulator, type TestSimulator } from '../../../../test/harness/simulator/start.ts';

let simulator: TestSimulator;
let service: TestService;
let fixture: BackupFixture;
beforeAll(async () => {
  simulator = await sharedSimulator();
  service = await startTestService({
    doesWork: ['backups.run', 'backups.release', 'restores.run'],
  });
  fixture = createBackupFixture(service, simulator);
});
afterAll(() => service.stop());

type Files = Awaited<ReturnType<BackupFixture['filesOf']>>;

const pathAt = (files: Files, index: number): string => {
  const file = files.at(index);
  if (!file) throw new Error('The backup has too few objects');
  return file.path;
};

const flipOneBit = async (path: string, position: (length: number) => number) => {
  const bytes = Buffer.from(await Bun.file(path).arrayBuffer());
  const at = position(bytes.length);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  await writeFile(path, bytes);
};

const damages: [string, (files: Files) => Promise<unknown>][] = [
  ['one flipped bit at its end', (files) => flipOneBit(pathAt(files, 0), (length) => length - 1)],
  ['one flipped bit in its head', (files) => flipOneBit(pathAt(files, -1), () => 0)],
  ['one flipped bit inside', (files) => flipOneBit(pathAt(files, 1), (length) => length >> 1)],
  [
    'its last byte cut off',
    async (files) => truncate(pathAt(files, 0), Bun.file(pathAt(files, 0)).size - 1),
  ],
  ['nothing left of it', (files) => truncate(pathAt(files, 1), 0)],
  [
    'the place of another',
    async (files) => {
      const [one, other] = [pathAt(files, 0), pathAt(files, 1)];
      await rename(one, `${one}.x`);
      await rename(other, one);
      await rename(`${one}.x`, other);
    },
  ],
  ['no file any more', (files) => rm(pathAt(files, 2))],
];

const lastSeq = async (): Promise<number> =>
  (await simulator.control('GET', '/log')).at(-1)?.seq ?? 0;

const changesSince = async (seq: number, { guildId }: OwnedGuild) => {
  const calls: { method: string; guildId: string; route: string }[] = await simulator.control(
    'GET',
    `/log?since=${seq}`,
  );
  return calls.filter((call) => call.guildId === guildId && call.method !== 'GET');
};

describe('a backup of which an object has', () => {
  test.each(damages)(
    '%s is not restored, changes nothing, and is mended by the next one',
    async (_, damage) => {
      const server = await fixture.newServer();
      const backup = await fixture.takeBackup(server);
      expect(backup.status).toBe('completed');
      await damage(await fixture.filesOf(backup.id));

      const seq = await lastSeq();
      const before = await simulator.control('GET', `/guilds/${server.guildId}`);
      const restore = await fixture.restore(server, backup.id);
      expect(restore).toMatchObject({
        status: 'failed',
        safetyBackupId: null,
        steps: { total: 0 },
      });
      expect(restore.error).toContain('The backup cannot be read');
      expect(await changesSince(seq, server)).toEqual([]);
      expect(await simulator.control('GET', `/guilds/${server.guildId}`)).toEqual(before);

      const next = await fixture.takeBackup(server);
      expect(next).toMatchObject({
        status: 'completed',
        checksum: backup.checksum,
        storedBytes: 0,
      });
      await expectExactStorage(fixture, server);
      expect((await fixture.restore(server, backup.id)).status).toBe('completed');
      expect((await changesSince(seq, server)).length).toBeGreaterThan(0);
    },
  );
});
