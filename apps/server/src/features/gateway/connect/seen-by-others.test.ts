import { afterAll, beforeAll, expect, test } from 'bun:test';
import { ActivityType, Client, Events, GatewayIntentBits, type Presence } from 'discord.js';
import { eventually } from '../../../../test/harness/eventually.ts';
import {
  type GatewayFixture,
  startGatewayFixture,
  type TestBot,
} from '../../../../test/harness/gateway.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';

let fixture: GatewayFixture;
let clients: Client[];
beforeAll(async () => {
  clients = [];
  fixture = await startGatewayFixture();
  fixture.startHolding();
});
afterAll(async () => {
  for (const client of clients) await client.destroy();
  await fixture.stop();
});

/** Another bot of the guild, with the usual client, which is told of the presences of others. */
const logInAnother = async (guildId: string) => {
  const { apiUrl } = fixture.simulator;
  const token = `${btoa(randomPlatformId())}.token-value`;
  const headers = { authorization: `Bot ${token}` };
  expect((await fetch(`${apiUrl}/v10/guilds/${guildId}`, { headers })).status).toBe(200);
  const { Guilds, GuildPresences } = GatewayIntentBits;
  const rest = { api: apiUrl, version: '10' };
  const client = new Client({ intents: [Guilds, GuildPresences], rest });
  clients.push(client);
  const told: Presence[] = [];
  client.on(Events.PresenceUpdate, (_, presence) => told.push(presence));
  const ready = new Promise((resolve) => {
    client.once(Events.ClientReady, resolve);
  });
  await client.login(token);
  await ready;
  return told;
};

const shown = (presences: Presence[], { platformId }: TestBot) => {
  const last = presences.findLast(({ userId }) => userId === platformId);
  const [activity] = last?.activities ?? [];
  return { status: last?.status, type: activity?.type, text: activity?.name };
};

test('another client in the guild sees what the owner lets a bot show, within five seconds', async () => {
  const bot = await fixture.newBot();
  const guildId = await fixture.joinGuild(bot);
  await eventually(10_000, async () =>
    expect(await fixture.record(bot)).toMatchObject({ connection: 'CONNECTED' }),
  );
  const told = await logInAnother(guildId);

  const changes = { status: 'DND', activityType: 'LISTENING', activityText: 'the sea' };
  expect((await fixture.change(bot, changes)).status).toBe(200);
  await eventually(5000, () =>
    expect(shown(told, bot)).toEqual({
      ...{ status: 'dnd', type: ActivityType.Listening, text: 'the sea' },
    }),
  );

  expect((await fixture.change(bot, { isActive: false })).status).toBe(200);
  await eventually(5000, () => expect(shown(told, bot)).toMatchObject({ status: 'offline' }));
});
