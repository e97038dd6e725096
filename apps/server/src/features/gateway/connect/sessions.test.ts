import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createServer } from '../../../../test/harness/bots-and-servers.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import {
  type GatewayFixture,
  startGatewayFixture,
  type TestBot,
} from '../../../../test/harness/gateway.ts';

let fixture: GatewayFixture;
beforeAll(async () => {
  fixture = await startGatewayFixture();
  fixture.startHolding();
});
afterAll(() => fixture.stop());

const connected = (bot: TestBot) =>
  eventually(10_000, async () => {
    expect((await fixture.record(bot)).connection).toBe('CONNECTED');
    return fixture.atGateway(bot);
  });

const newConnectedBot = async () => {
  const bot = await fixture.newBot();
  await connected(bot);
  return bot;
};

const connectionRow = async ({ id }: TestBot) => {
  const [row] = await fixture.service.db.$client`
    select session_id, sequence::int from gateway_connections where bot_id = ${id}`;
  return row;
};

/** Everything that the platform sent has taken effect. */
const caughtUp = (bot: TestBot) =>
  eventually(10_000, async () => {
    const { sessions } = await fixture.atGateway(bot);
    expect(sessions).toHaveLength(1);
    expect(sessions[0].isConnected).toBe(true);
    const { session_id, sequence } = await connectionRow(bot);
    expect(session_id).toBe(sessions[0].sessionId);
    return { sent: sessions[0].seq, sequence };
  });

test('a new bot is connected soon, and its record says so', async () => {
  const bot = await fixture.newBot();
  expect(await fixture.record(bot)).toMatchObject({ connection: 'CONNECTING', connectedAt: null });
  expect(await connected(bot)).toMatchObject({ identifies: 1, resumes: 0 });
  const { connectedAt, intents } = await fixture.record(bot);
  expect(Math.abs(Date.now() - Date.parse(connectedAt))).toBeLessThan(60_000);
  expect(intents).toMatchObject({ missing: [] });
  expect(intents.granted).toContain('GUILD_MEMBERS');
});

test('after a new session every guild is heard of, also those it was in before', async () => {
  const bot = await fixture.newBot();
  const before = await fixture.joinGuild(bot);
  await connected(bot);
  const after = await fixture.joinGuild(bot);
  await eventually(10_000, async () => {
    expect(await fixture.heard(bot, 'guildAvailable')).toEqual([before, after]);
  });
  expect(await fixture.heard(bot, 'guildsListed')).toHaveLength(1);
});

test('a connection that is cut is resumed, and what happened meanwhile is heard once', async () => {
  const bot = await newConnectedBot();
  const first = await fixture.joinGuild(bot);
  await eventually(10_000, async () =>
    expect(await fixture.heard(bot, 'guildAvailable')).toEqual([first]),
  );
  await fixture.simulator.control('PUT', '/gateway/faults', {
    botId: bot.platformId,
    refuseMs: 300,
  });
  await fixture.act(bot, { action: 'cut' });
  const second = await fixture.joinGuild(bot);
  await eventually(10_000, async () =>
    expect(await fixture.heard(bot, 'guildAvailable')).toEqual([first, second]),
  );
  expect(await connected(bot)).toMatchObject({ identifies: 1, resumes: 1 });
});

test('messages that come twice take effect once', async () => {
  const bot = await newConnectedBot();
  await fixture.simulator.control('PUT', '/gateway/faults', {
    botId: bot.platformId,
    duplicate: 50,
  });
  const guilds: string[] = [];
  for (let count = 0; count < 5; count++) guilds.push(await fixture.joinGuild(bot));
  await eventually(10_000, async () =>
    expect(await fixture.heard(bot, 'guildAvailable')).toEqual(guilds),
  );
  await fixture.act(bot, { action: 'reconnect' });
  await eventually(10_000, async () =>
    expect((await fixture.atGateway(bot)).resumes).toBeGreaterThan(0),
  );
  await caughtUp(bot);
  expect(await fixture.heard(bot, 'guildAvailable')).toEqual(guilds);
});

test('what was received but not stored is replayed, and takes effect once', async () => {
  const bot = await newConnectedBot();
  const { db } = fixture.service;
  const first = await fixture.joinGuild(bot);
  await eventually(10_000, async () =>
    expect(await fixture.heard(bot, 'guildAvailable')).toEqual([first]),
  );
  // The stored state of a holder that died before it had stored the last message.
  await fixture.stopHolding();
  await db.$client`
    update gateway_connections set sequence = sequence - 1 where bot_id = ${bot.id}`;
  await db.$client`
    delete from heard where bot_id = ${bot.id} and kind = 'guildAvailable'`;
  fixture.startHolding();
  await eventually(10_000, async () =>
    expect((await fixture.atGateway(bot)).resumes).toBeGreaterThan(0),
  );
  await eventually(10_000, async () =>
    expect(await fixture.heard(bot, 'guildAvailable')).toEqual([first]),
  );
  expect((await fixture.atGateway(bot)).identifies).toBe(1);
});

test('a session that is over is followed by a new one, which hears of every guild again', async () => {
  const bot = await fixture.newBot();
  const guildId = await fixture.joinGuild(bot);
  await connected(bot);
  await fixture.act(bot, { action: 'invalidate' });
  await eventually(10_000, async () =>
    expect(await fixture.heard(bot, 'guildAvailable')).toEqual([guildId, guildId]),
  );
  const { identifies, resumes, sessions } = await connected(bot);
  expect([identifies, resumes, sessions.length]).toEqual([2, 0, 1]);
});

test('name, icon and member count of a server follow its guild', async () => {
  const bot = await fixture.newBot();
  const guildId = await fixture.joinGuild(bot);
  const body = { platformGuildId: guildId, customBotId: bot.id, name: 'As it was called' };
  const id = await createServer(bot.owner, body);
  const state = await fixture.simulator.control('GET', `/guilds/${guildId}`);
  await connected(bot);
  await fixture.act(bot, { action: 'invalidate' });
  await eventually(10_000, async () => {
    const { body: answer } = await bot.owner.call('GET', `/api/v1/servers/${id}`);
    expect(answer.data.name).toBe(state.guild.name);
    expect(answer.data.memberCount).toBe(31);
  });
});

test('a clock that is set back does not keep a bot from a new session', async () => {
  const bot = await newConnectedBot();
  await fixture.service.db.$client`
    update gateway_identifies set identified_at = identified_at + interval '1 hour'
    where application_id = ${bot.platformId}`;
  await fixture.act(bot, { action: 'invalidate' });
  await eventually(10_000, async () => expect((await fixture.atGateway(bot)).identifies).toBe(2));
});

test('new sessions stop before the limit of the platform, which all accounts with the application share', async () => {
  const bot = await fixture.newBot();
  const { platformId: clientId, token: botToken } = bot;
  await fixture.setGateway({ identifiesPerDay: 6, concurrencyMs: 0 });
  try {
    await connected(bot);
    const same = await fixture.newBot(undefined, { clientId, botToken });
    await connected(same);
    for (let round = 0; round < 6; round++) {
      await fixture.act(bot, { action: 'invalidate' });
      await Bun.sleep(600);
    }
    // One of six is held back.
    expect(await fixture.atGateway(bot)).toMatchObject({ identifies: 5, identifiesLeft: 1 });
    expect((await fixture.atGateway(bot)).closes[4004]).toBeUndefined();
    expect(await fixture.record(bot)).toMatchObject({ connection: 'CONNECTING', trouble: null });
  } finally {
    await fixture.setGateway({});
  }
});
