import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createServer } from '../../../test/harness/bots-and-servers.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { type GatewayFixture, startGatewayFixture } from '../../../test/harness/gateway.ts';
import { postDuePanels } from './jobs.ts';

let fixture: GatewayFixture;
beforeAll(async () => {
  fixture = await startGatewayFixture({
    doesWork: ['panels.post', 'panels.post-due', 'panels.remove', 'servers.purge'],
  });
  await fixture.simulator.control('PUT', '/limits', { default: { limit: 1000, perMs: 1000 } });
  fixture.startHolding();
});
afterAll(() => fixture.stop());

const content = { title: 'Welcome', text: '', color: 1, buttonText: 'Verify' };
const posts = { method: 'POST', route: '/channels/:id/messages' };
const reads = { method: 'GET', route: '/channels/:id/messages' };

/** A guild whose bot is connected. */
const newPlace = async () => {
  const bot = await fixture.newBot();
  const { owner } = bot;
  const guildId = await fixture.joinGuild(bot);
  const serverId = await createServer(owner, { platformGuildId: guildId, customBotId: bot.id });
  const { guild, channels } = await fixture.simulator.control('GET', `/guilds/${guildId}`);
  const kept = [guild.rules_channel_id, guild.public_updates_channel_id];
  const [hall = '', quay = ''] = channels
    .filter(({ id, type }: { id: string; type: number }) => type === 0 && !kept.includes(id))
    .map(({ id }: { id: string }) => id);
  return { owner, guildId, serverId, path: `/api/v1/servers/${serverId}/panels`, hall, quay };
};
type Place = Awaited<ReturnType<typeof newPlace>>;

const fail = ({ guildId }: Place, match: object, fault: object) =>
  fixture.simulator.control('POST', '/faults', { match: { ...match, guildId }, ...fault });
const heal = () => fixture.simulator.control('DELETE', '/faults');

const create = async ({ owner, path, hall }: Place): Promise<string> =>
  (await owner.call('POST', path, { body: { channelId: hall, ...content } })).body.data.id;

const becomes = ({ owner, path }: Place, expected: object) =>
  eventually(15_000, async () => {
    const [panel] = (await owner.call('GET', path)).body.data;
    expect(panel).toMatchObject(expected);
    return panel;
  });

type Message = { id: string; channel_id: string; components?: object[] };

/** The messages with a button. */
const panelsIn = async ({ guildId }: Place): Promise<Message[]> => {
  const { messages } = await fixture.simulator.control('GET', `/guilds/${guildId}`);
  return messages.filter(({ components }: Message) => components?.length);
};

const platformEpochMs = 1_420_070_400_000;

/** As if people had written in the hall a minute ago. */
const write = async ({ guildId, hall }: Place, count: number): Promise<void> => {
  const state = await fixture.simulator.control('GET', `/guilds/${guildId}`);
  const startMs = Date.now() - 60_000 - platformEpochMs;
  const author = { id: state.guild.owner_id };
  for (let index = 0; index < count; index++) {
    const id = (BigInt(startMs + index) << 22n).toString();
    state.messages.push({ id, channel_id: hall, content: `Hello ${index}`, author });
  }
  await fixture.simulator.control('PUT', `/guilds/${guildId}`, state);
};

test('a message whose post got no answer is found among hundreds of others', async () => {
  const place = await newPlace();
  await write(place, 250);
  await fail(place, posts, { when: 'afterApply', action: 'reset' });
  await fail(place, reads, { action: 'status', status: 503, times: 1000 });
  await create(place);
  await becomes(place, { error: expect.stringContaining('did not answer') });
  // After some minutes the platform knows the repeated post no longer.
  const { messages, ...guild } = await fixture.simulator.control('GET', `/guilds/${place.guildId}`);
  const old = messages.map(({ nonce: _, ...message }: { nonce?: string }) => message);
  await fixture.simulator.control('PUT', `/guilds/${place.guildId}`, { ...guild, messages: old });
  await heal();
  const { messageId } = await becomes(place, { status: 'POSTED' });
  expect(await panelsIn(place)).toMatchObject([{ id: messageId }]);
});

test('a panel whose post never arrived does not take the message that another panel leaves behind', async () => {
  const place = await newPlace();
  const { owner, path, hall, quay } = place;
  const comer = await create({ ...place, hall: quay });
  const { messageId: before } = await becomes(place, { status: 'POSTED' });
  const leaver = await create(place);
  const { messageId: left } = await becomes(place, { id: leaver, status: 'POSTED' });
  await fixture.service.db.$client.begin(async (sql) => {
    await sql`update panels set is_due = true, channel_id = ${hall}, attempt_channel_id = ${hall},
      attempted_at = now() where id = ${comer}`;
    await sql`update panels set is_due = true, stale_message_id = message_id, message_id = null,
      stale_channel_id = message_channel_id, message_channel_id = null where id = ${leaver}`;
  });
  await owner.call('PUT', `${path}/${comer}`, { body: { title: 'Harbour' } });
  const messageOf = async (panelId: string) =>
    (await owner.call('GET', path)).body.data.find(({ id }: Message) => id === panelId).messageId;
  await eventually(15_000, async () => expect(await messageOf(comer)).not.toBe(before));
  expect(await messageOf(comer)).not.toBe(left);
  await eventually(15_000, async () => {
    const found = (await panelsIn(place)).map(({ id }) => id);
    expect(found.toSorted()).toEqual([await messageOf(comer), await messageOf(leaver)].toSorted());
  });
});

test('a message outlives the channel to which its panel could not be moved', async () => {
  const place = await newPlace();
  const { owner, path, hall, quay } = place;
  const panelId = await create(place);
  const { messageId } = await becomes(place, { status: 'POSTED' });
  await fail(place, posts, { action: 'status', status: 403, body: { code: 50013 } });
  await owner.call('PUT', `${path}/${panelId}`, { body: { channelId: quay } });
  await becomes(place, { status: 'FAILED', messageId });
  await heal();
  await deleteChannel(place, quay);
  await becomes(place, { status: 'MISSING' });
  await owner.call('PUT', `${path}/${panelId}`, { body: { channelId: hall } });
  await becomes(place, { status: 'POSTED' });
  expect(await panelsIn(place)).toMatchObject([{ id: messageId, channel_id: hall }]);
});

const deleteChannel = async ({ guildId }: Place, channelId: string): Promise<void> => {
  const { guild } = await fixture.simulator.control('GET', `/guilds/${guildId}`);
  const authorization = `Bot ${btoa(guild.owner_id)}.token-value`;
  const url = `${fixture.simulator.apiUrl}/v10/channels/${channelId}`;
  expect((await fetch(url, { method: 'DELETE', headers: { authorization } })).status).toBe(200);
};

test('a message that is being posted while its server is deleted does not stay', async () => {
  const place = await newPlace();
  await fail(place, posts, { when: 'afterApply', action: 'delay', ms: 2000 });
  await create(place);
  await eventually(10_000, async () => expect(await panelsIn(place)).toHaveLength(1));
  await place.owner.call('DELETE', `/api/v1/servers/${place.serverId}`);
  await eventually(15_000, async () => expect(await panelsIn(place)).toEqual([]));
  await heal();
});

test('a panel for which every attempt has failed is posted once the platform answers again', async () => {
  const place = await newPlace();
  await fail(place, posts, { action: 'status', status: 503, times: 1000 });
  await create(place);
  await becomes(place, { error: expect.stringContaining('did not answer') });
  const { db, queue } = fixture.service;
  await db.$client`delete from pgboss.job where name = 'panels.post'`;
  await heal();
  await db.transaction((tx) => queue.enqueue(tx, postDuePanels, {}));
  await becomes(place, { status: 'POSTED', error: null });
});
