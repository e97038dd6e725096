import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  createBackupFixture,
  type OwnedGuild,
} from '../../../server/test/harness/backups/fixture.ts';
import { startTestService, type TestService } from '../../../server/test/harness/service.ts';
import { sharedSimulator } from '../../../server/test/harness/simulator/start.ts';
import { runInProcess } from '../../test/run-in-process.ts';

let service: TestService;
let listening: ReturnType<TestService['listen']>;
let server: OwnedGuild;
let backupId: string;
beforeAll(async () => {
  const simulator = await sharedSimulator();
  service = await startTestService({ doesWork: ['backups.run'] });
  listening = service.listen();
  const fixture = createBackupFixture(service, simulator);
  server = await fixture.newServer();
  backupId = (await fixture.takeBackup(server)).id;
  const path = `/guilds/${server.guildId}`;
  const guild = await simulator.control('GET', path);
  // Something is there to be restored.
  await simulator.control('PUT', path, { ...guild, channels: guild.channels.slice(0, 1) });
});
afterAll(async () => {
  await listening.stop();
  await service.stop();
});

/** Every way to begin a job and to wait for its end. */
const begun: Record<string, (backup: string) => string[][]> = {
  backup: () => [
    ['backup', 'Harbour'],
    ['backups', 'create', 'Harbour', '--wait'],
  ],
  restore: (backup) => [
    ['restore', 'Harbour', backup, '--yes'],
    ['backups', 'restore', 'Harbour', backup, '--wait', '--yes'],
    ['recover', 'Harbour', '--no-pull', '--yes'],
  ],
  pull: () => [
    ['pull', 'Harbour'],
    ['pulls', 'create', 'Harbour', '--wait'],
  ],
};

test.each([
  ['backup', 'completed', 0],
  ['backup', 'failed', 8],
  ['restore', 'completed', 0],
  ['restore', 'partial', 8],
  ['restore', 'failed', 8],
  ['restore', 'cancelled', 8],
  ['pull', 'completed', 0],
  ['pull', 'failed', 8],
  ['pull', 'cancelled', 8],
])(
  'whoever waits for a %s that ends as %s gets the exit code %d, by whichever command',
  async (kind, status, exitCode) => {
    const sql = service.db.$client;
    // Each has ended so as soon as it has begun.
    await sql.unsafe(`alter table ${kind}s alter column status set default '${status}'`);
    const env = { HOLDFAST_URL: listening.url, HOLDFAST_API_KEY: server.tenant.key };
    const exits = async (...argv: string[]) => {
      const ended = await runInProcess(argv, env);
      expect({ argv, ...ended }).toMatchObject({ argv, exitCode });
    };
    for (const argv of begun[kind]?.(backupId) ?? []) await exits(...argv);
    const [newest] = await sql.unsafe(`select id from ${kind}s order by created_at desc limit 1`);
    await exits('watch', kind, ...(kind === 'backup' ? ['Harbour'] : []), newest.id);
  },
);
