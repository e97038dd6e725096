import { afterAll, beforeAll, expect, test } from 'bun:test';
import { takeBackupNow } from '../../../../test/harness/backups/run-backup.ts';
import { createServer } from '../../../../test/harness/bots-and-servers.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import {
  type GatewayFixture,
  startGatewayFixture,
  type TestBot,
} from '../../../../test/harness/gateway.ts';
import {
  newProtectedGuild,
  type ProtectedGuild,
} from '../../../../test/harness/protected-guild.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import { auditReasons } from '../../servers/guild/audit-reasons.ts';

let fixture: GatewayFixture;
beforeAll(async () => {
  fixture = await startGatewayFixture({
    doesWork: ['protection.contain', 'protection.look-at-guild', 'restores.run'],
  });
  // What a process remembers of a guild can be some seconds old, which is less than a day.
  fixture.startHolding({}, { isWatching: false });
});
afterAll(() => fixture.stop());

type Record = { bot: TestBot; serverId: string };

const letTwoDaysPass = async ({ serverId, bot }: Record) => {
  const { $client } = fixture.service.db;
  await $client`
    update servers set created_at = created_at - interval '2 days',
      guild_since = guild_since - interval '2 days', bot_since = bot_since - interval '2 days'
    where id = ${serverId}`;
  await $client`
    update bots set identity_since = identity_since - interval '2 days' where id = ${bot.id}`;
};

const newRecord = async (guildId: string, bot: TestBot): Promise<Record> => {
  const place = { platformGuildId: guildId, customBotId: bot.id };
  return { bot, serverId: await createServer(bot.owner, place) };
};

const put = async ({ bot }: Record, path: string, body: object) =>
  expect((await bot.owner.call('PUT', `/api/v1/${path}`, { body })).status).toBe(200);

/** The other account's bot deletes eight channels, by a restore of its own record. */
const destroyByRestore = async (
  { guildId, now }: ProtectedGuild,
  { bot, serverId }: Record,
): Promise<string> => {
  const { owner } = bot;
  const backupId = await takeBackupNow(fixture, { owner, serverId });
  const state = await now();
  const extra = Array.from({ length: 8 }, (_, index) => ({
    ...{ id: randomPlatformId(), type: 0, name: `extra-${index}` },
  }));
  const channels = [...state.channels, ...extra];
  await fixture.simulator.control('PUT', `/guilds/${guildId}`, { ...state, channels });
  const path = `/api/v1/servers/${serverId}/backups/${backupId}/restore`;
  const asked = { mode: 'REPAIR', deleteExtra: true, components: ['channels'] };
  const restore = await owner.call('POST', path, { body: asked });
  expect(restore.status).toBe(202);
  return restore.body.data.id;
};

test('a restore by the bot of another account with the same guild is no attack', async () => {
  const guild = await newProtectedGuild(fixture, { channels: 3 });
  const { channels } = await guild.now();
  const record = await newRecord(guild.guildId, await fixture.newBot());
  await letTwoDaysPass(record);
  await destroyByRestore(guild, record);
  await eventually(20_000, async () => {
    expect((await guild.now()).channels).toHaveLength(channels.length);
  });
  await guild.settled();
  expect(await guild.incidents()).toEqual([]);
  // Without a job of ours it is an attacker like any other.
  const { platformId } = record.bot;
  for (const { id } of channels) await guild.deleteChannel(platformId, id);
  expect((await guild.contained()).executors).toMatchObject([{ platformId }]);
});

const otherTokenOf = ({ platformId }: TestBot) => `${btoa(platformId)}.other-value`;

/** Each ends with a record of yesterday that has something of today. */
const changes: [string, (guildId: string) => Promise<Record>][] = [
  [
    'another guild',
    async (guildId) => {
      const record = await newRecord(randomPlatformId(), await fixture.newBot());
      await letTwoDaysPass(record);
      await put(record, `servers/${record.serverId}`, { platformGuildId: guildId });
      return record;
    },
  ],
  [
    'another bot',
    async (guildId) => {
      const before = await newRecord(guildId, await fixture.newBot());
      await letTwoDaysPass(before);
      const record = { ...before, bot: await fixture.newBot(before.bot.owner) };
      await put(record, `servers/${record.serverId}`, { customBotId: record.bot.id });
      return record;
    },
  ],
  [
    'another token',
    async (guildId) => {
      const record = await newRecord(guildId, await fixture.newBot());
      await letTwoDaysPass(record);
      await put(record, `bots/${record.bot.id}`, { botToken: otherTokenOf(record.bot) });
      return record;
    },
  ],
  [
    'another client id',
    async (guildId) => {
      const { bot } = await newRecord(randomPlatformId(), await fixture.newBot());
      const other = randomPlatformId();
      await put({ bot, serverId: '' }, `bots/${bot.id}`, { clientId: other });
      const record = await newRecord(guildId, bot);
      await letTwoDaysPass(record);
      await put(record, `bots/${bot.id}`, { clientId: bot.platformId });
      return record;
    },
  ],
];

test.each(changes)(
  'a record of another account that has %s since today excuses nothing',
  async (_, make) => {
    const guild = await newProtectedGuild(fixture, { channels: 3 });
    const record = await make(guild.guildId);
    await destroyByRestore(guild, record);
    const { executors } = await guild.contained();
    expect(executors).toMatchObject([{ platformId: record.bot.platformId }]);
  },
);

test.each(changes)('a record that has had %s for a day is what it is', async (_, make) => {
  const guild = await newProtectedGuild(fixture, { channels: 3 });
  const { channels } = await guild.now();
  const record = await make(guild.guildId);
  await letTwoDaysPass(record);
  await destroyByRestore(guild, record);
  await eventually(20_000, async () => {
    expect((await guild.now()).channels).toHaveLength(channels.length);
  });
  await guild.settled();
  expect(await guild.incidents()).toEqual([]);
});

test('a client id that is only claimed makes no bot that of a record', async () => {
  const guild = await newProtectedGuild(fixture, { channels: 16 });
  const mallory = await guild.join([guild.mod], { isBot: true });
  const claimed = { clientId: mallory, botToken: `${btoa(randomPlatformId())}.token-value` };
  const record = await newRecord(guild.guildId, await fixture.newBot(undefined, claimed));
  await letTwoDaysPass(record);
  const reason = auditReasons.restore(await destroyByRestore(guild, record));
  for (const id of guild.channelIds) {
    await guild.call(mallory, 'PATCH', `/channels/${id}`, { name: 'taken' }, reason);
  }
  expect((await guild.contained()).executors).toMatchObject([{ platformId: mallory }]);
});
