import { expect, test } from 'bun:test';
import { expectBelow } from '../../../test/harness/bounds.ts';
import {
  botTokenOf,
  freshId,
  startSimulatedPlatform,
} from '../../../test/harness/simulator/platform.ts';
import type { GuildPlatform } from '../port.ts';

const readings: ((guild: GuildPlatform) => Promise<unknown>)[] = [
  (guild) => guild.read(),
  (guild) => guild.readChannels(),
  (guild) => guild.readBans('0'),
  (guild) => guild.readMembers('0'),
  (guild) => guild.editSettings({ description: 'Still here' }),
];

test('five hundred calls at once all succeed, and the platform refuses none of them', async () => {
  const simulated = await startSimulatedPlatform();
  await simulated.control('PUT', '/limits', {
    default: { limit: 20, perMs: 200 },
    global: { limit: 50, perMs: 1000 },
  });
  const bot = simulated.platform.bot(botTokenOf(freshId()));
  const guilds = [freshId(), freshId()].map((id) => bot.guild(id));
  await Promise.all(
    Array.from({ length: 500 }, (_, index) => {
      const guild = guilds[index % guilds.length];
      const reading = readings[index % readings.length];
      return guild && reading?.(guild);
    }),
  );
  const log = await simulated.readLog();
  expect(log).toHaveLength(500);
  expect(log.filter(({ status }) => status === 429)).toEqual([]);

  const counted = await simulated.registry.metrics();
  const sumOf = (name: string) =>
    [...counted.matchAll(new RegExp(`^${name}\\{.*\\} ([\\d.]+)$`, 'gm'))].reduce(
      (sum, [, value]) => sum + Number(value),
      0,
    );
  expect(sumOf('holdfast_platform_calls_total')).toBe(500);
  expect(sumOf('holdfast_platform_waits_total')).toBeGreaterThan(5);
  expect(sumOf('holdfast_platform_wait_seconds_total')).toBeGreaterThan(1);
  expect(counted).toContain('holdfast_platform_waits_total{route="GET /guilds/:id/channels"}');
  await simulated.stop();
});

test('a burst across the boundary of a second is not refused', async () => {
  const simulated = await startSimulatedPlatform();
  await simulated.control('PUT', '/limits', { default: { limit: 1000, perMs: 1000 } });
  const bot = simulated.platform.bot(botTokenOf(freshId()));
  const guilds = Array.from({ length: 60 }, () => bot.guild(freshId()));
  await guilds[0]?.read();
  await Bun.sleep(900);
  await Promise.all(guilds.map((guild) => guild.readChannels()));
  await Bun.sleep(100);
  await Promise.all(guilds.map((guild) => guild.readChannels()));
  const log = await simulated.readLog();
  expect(log.map(({ status }) => status)).toEqual(Array(121).fill(200));
  await simulated.stop();
});

test('a call that waits for its bucket can be aborted, and is then never sent', async () => {
  const simulated = await startSimulatedPlatform();
  await simulated.control('PUT', '/limits', { default: { limit: 1, perMs: 3000 } });
  const bot = simulated.platform.bot(botTokenOf(freshId()));
  const guildId = freshId();
  await bot.guild(guildId).read();
  const startedAt = performance.now();
  const waiting = bot.guild(guildId, { signal: AbortSignal.timeout(100) }).read();
  expect(await waiting.catch((error: unknown) => error)).toMatchObject({ kind: 'aborted' });
  expectBelow(performance.now() - startedAt, 2500);
  await bot.guild(guildId).read();
  expect(await simulated.readLog()).toHaveLength(2);
  await simulated.stop();
});

test('a bucket of one call is not exceeded either, from the first call on', async () => {
  const simulated = await startSimulatedPlatform();
  await simulated.control('PUT', '/limits', { default: { limit: 1, perMs: 300 } });
  const bot = simulated.platform.bot(botTokenOf(freshId()));
  const [one, two] = [bot.guild(freshId()), bot.guild(freshId())];
  await Promise.all([one.readChannels(), one.readChannels(), two.readChannels()]);
  await Promise.all([one.readChannels(), two.readChannels(), two.readChannels()]);
  const log = await simulated.readLog();
  expect(log.map(({ status }) => status)).toEqual(Array(6).fill(200));
  await simulated.stop();
});
