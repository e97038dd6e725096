import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  type BackupFixture,
  createBackupFixture,
  expectExactStorage,
  type OwnedGuild,
} from '../../../../test/harness/backups/fixture.ts';
import { backupDependencies, runBackupNow } from '../../../../test/harness/backups/run-backup.ts';
import {
  type LargeGuild,
  largeGuild,
  randomPicture,
} from '../../../../test/harness/guilds/large-guild.ts';
import { startTestService, type TestService } from '../../../../test/harness/service.ts';
import { sharedSimulator, type TestSimulator } from '../../../../test/harness/simulator/start.ts';
import type { BackupDependencies } from '../capture/execute-backup.ts';

let simulator: TestSimulator;
let service: TestService;
let fixture: BackupFixture;
let dependencies: BackupDependencies;
beforeAll(async () => {
  simulator = await sharedSimulator();
  service = await startTestService();
  fixture = createBackupFixture(service, simulator);
  dependencies = backupDependencies(service, simulator.apiUrl);
});
afterAll(() => service.stop());

/** DAYS=100 shows a hundred; what a day may add is the same. */
const days = Number(process.env.DAYS ?? 30);
const mostPerDay = 1.5 / 100;
const leastPerDay = 0.5 / 100;
const pictureBytes = 20_000;
const size = { channels: 200, roles: 60, emojis: 50, pictureBytes };

const newLargeServer = async () => {
  const server = await fixture.newServer({});
  const guild = largeGuild(server.guildId, size);
  await putGuild(server, guild);
  return { server, guild };
};

const putGuild = ({ guildId }: OwnedGuild, guild: LargeGuild): Promise<unknown> =>
  simulator.control('PUT', `/guilds/${guildId}`, guild);

const takeOne = async (server: OwnedGuild) => {
  const backupId = await fixture.begin(server);
  await runBackupNow(dependencies, { accountId: server.tenant.accountId, backupId });
  expect(await fixture.read(server, backupId)).toMatchObject({ status: 'completed', warnings: [] });
};

const takeDaily = async (server: OwnedGuild, live: (day: number) => Promise<unknown>) => {
  const begunAt = performance.now();
  await takeOne(server);
  const first = await expectExactStorage(fixture, server);
  for (let day = 1; day < days; day++) {
    await live(day);
    await takeOne(server);
  }
  const last = await expectExactStorage(fixture, server);
  return { first, last, ratio: last / first, ms: performance.now() - begunAt };
};

const print = (what: string, { first, last, ratio, ms }: Awaited<ReturnType<typeof takeDaily>>) =>
  process.stdout.write(
    `${what}: ${first} B, then ${last} B (×${ratio.toFixed(3)}), ${Math.round(ms)} ms\n`,
  );

test('daily backups of an unchanged server store hardly more than one', async () => {
  const { server } = await newLargeServer();
  const taken = await takeDaily(server, async () => undefined);
  print(`${days} backups, unchanged`, taken);
  expect(taken.ratio).toBeLessThanOrEqual(1.05);
}, 300_000);

/**
 * One in a hundred of 310 things a day: two channels, and often a role or an emoji, each in its turn.
 * Gives the pictures that are new; the simulator keeps the others.
 */
const changeAFew = (guild: LargeGuild, day: number): LargeGuild['images'] => {
  const rename = (list: LargeGuild['channels'], index: number) => {
    const entry = list[index % list.length];
    if (entry) entry.name = `${entry.name.replace(/ .*/, '')} ${day}`;
  };
  rename(guild.channels, day * 61);
  rename(guild.channels, day * 61 + 97);
  if (day % 10 < 6) rename(guild.roles.slice(1), day * 17);
  const emoji = guild.emojis[(day * 7) % guild.emojis.length];
  return emoji && day % 2 === 1 ? { [`emojis/${emoji.id}`]: randomPicture(pictureBytes) } : {};
};

test('daily backups of a server that changes a little every day store a little more', async () => {
  const { server, guild } = await newLargeServer();
  const taken = await takeDaily(server, (day) =>
    putGuild(server, { ...guild, images: changeAFew(guild, day) }),
  );
  print(`${days} backups, one in a hundred changed a day`, taken);
  expect(taken.ratio).toBeLessThanOrEqual(1 + days * mostPerDay);
  expect(taken.ratio).toBeGreaterThan(1 + days * leastPerDay);
}, 300_000);
