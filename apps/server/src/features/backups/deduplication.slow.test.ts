import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  type BackupScene,
  createBackupScene,
  expectExactStorage,
  type OwnedGuild,
} from '../../../test/backup-scene.ts';
import { startTestService, type TestService } from '../../../test/harness.ts';
import { type LargeGuild, largeGuild, randomPicture } from '../../../test/large-guild.ts';
import { sharedSimulator, type TestSimulator } from '../../../test/simulator.ts';
import { backupToolsOf, takeBackupNow } from '../../../test/take-backup-now.ts';
import type { BackupTools } from './take-backup.ts';

let simulator: TestSimulator;
let service: TestService;
let scene: BackupScene;
let tools: BackupTools;
beforeAll(async () => {
  simulator = await sharedSimulator();
  service = await startTestService();
  scene = createBackupScene(service, simulator);
  tools = backupToolsOf(service, simulator.apiUrl);
}, 30_000);
afterAll(() => service.stop());

/** DAYS=100 shows a hundred; what a day may add is the same. */
const days = Number(process.env.DAYS ?? 30);
const mostPerDay = 1.5 / 100;
const leastPerDay = 0.5 / 100;
const pictureBytes = 20_000;
const size = { channels: 200, roles: 60, emojis: 50, pictureBytes };

const newLargeServer = async () => {
  const server = await scene.newServer({});
  const guild = largeGuild(server.guildId, size);
  await putGuild(server, guild);
  return { server, guild };
};

const putGuild = ({ guildId }: OwnedGuild, guild: LargeGuild): Promise<unknown> =>
  simulator.control('PUT', `/guilds/${guildId}`, guild);

const takeOne = async (server: OwnedGuild) => {
  const backupId = await scene.begin(server);
  await takeBackupNow(tools, { accountId: server.tenant.accountId, backupId });
  expect(await scene.read(server, backupId)).toMatchObject({ status: 'completed', warnings: [] });
};

const takeDaily = async (server: OwnedGuild, live: (day: number) => Promise<unknown>) => {
  const begunAt = performance.now();
  await takeOne(server);
  const first = await expectExactStorage(scene, server);
  for (let day = 1; day < days; day++) {
    await live(day);
    await takeOne(server);
  }
  const last = await expectExactStorage(scene, server);
  return { first, last, ratio: last / first, ms: performance.now() - begunAt };
};

const print = (what: string, { first, last, ratio, ms }: Awaited<ReturnType<typeof takeDaily>>) =>
  process.stdout.write(
    `${what}: ${first} B, then ${last} B (×${ratio.toFixed(3)}), ${Math.round(ms)} ms\n`,
  );

test('daily backups of an unchanged server take hardly more than one', async () => {
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

test('daily backups of a server that changes a little every day take a little more', async () => {
  const { server, guild } = await newLargeServer();
  const taken = await takeDaily(server, (day) =>
    putGuild(server, { ...guild, images: changeAFew(guild, day) }),
  );
  print(`${days} backups, one in a hundred changed a day`, taken);
  expect(taken.ratio).toBeLessThanOrEqual(1 + days * mostPerDay);
  expect(taken.ratio).toBeGreaterThan(1 + days * leastPerDay);
}, 300_000);
