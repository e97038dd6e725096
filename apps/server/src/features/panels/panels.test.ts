import { afterAll, beforeAll, expect, test } from 'bun:test';
import { auditOf } from '../../../test/harness/api-calls.ts';
import { createBot } from '../../../test/harness/bots-and-servers.ts';
import { formWith, smallPicture } from '../../../test/harness/endpoints/sample-records.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import {
  randomPlatformId,
  startTestService,
  type Tenant,
  type TestService,
} from '../../../test/harness/service.ts';
import {
  freshId,
  type SimulatedPlatform,
  startSimulatedPlatform,
} from '../../../test/harness/simulator/platform.ts';
import { newVerificationServer } from '../../../test/harness/verification/newcomer.ts';

let service: TestService;
let simulator: SimulatedPlatform;
beforeAll(async () => {
  simulator = await startSimulatedPlatform();
  service = await startTestService({
    platformApiUrl: simulator.apiUrl,
    doesWork: ['panels.post'],
  });
});
afterAll(async () => {
  await service.stop();
  await simulator.stop();
});

type Message = { id: string; channel_id: string; embeds: object[]; components: object[] };
type Place = { owner: Tenant; id: string; guildId: string; hall: string; quay: string };

/** A server whose guild has two text channels and a category. */
const newPlace = async (): Promise<Place & { category: string }> => {
  const { owner, id, guildId } = await newVerificationServer({ service, simulator });
  const [hall, quay, category] = [freshId(), freshId(), freshId()];
  await change(guildId, (guild) => {
    guild.channels.push({ id: hall, name: 'hall' }, { id: quay, name: 'quay' });
    guild.channels.push({ id: category, name: 'Harbour', type: 4 });
  });
  return { owner, id, guildId, hall, quay, category };
};

// biome-ignore lint/suspicious/noExplicitAny: the whole state of a guild
const change = async (guildId: string, edit: (guild: any) => void) => {
  const guild = await simulator.control('GET', `/guilds/${guildId}`);
  edit(guild);
  await simulator.control('PUT', `/guilds/${guildId}`, guild);
};

const messagesIn = async (guildId: string): Promise<Message[]> =>
  (await simulator.control('GET', `/guilds/${guildId}`)).messages;

const content = { title: 'Welcome', text: 'Verify *here*.', color: 2718600, buttonText: 'Verify' };

const call = ({ owner, id }: Place, method: string, path = '', body?: object) =>
  owner.call(method, `/api/v1/servers/${id}/panels${path}`, body && { body });

const create = async (place: Place, channelId: string) => {
  const reply = await call(place, 'POST', '', { channelId, ...content });
  expect(reply.status).toBe(201);
  return reply.body.data;
};

/** Once the panel has this status and, where given, title or another message. */
const settled = (place: Place, status: string, expected: object = {}) =>
  eventually(15_000, async () => {
    const [panel] = (await call(place, 'GET')).body.data;
    expect(panel).toMatchObject({ status, ...expected });
    return panel;
  });

test('a panel is posted, edited in place, moved to another channel and removed', async () => {
  const place = await newPlace();
  const created = await create(place, place.hall);
  expect(created).toEqual({
    ...{ id: expect.any(String), serverId: place.id, channelId: place.hall, ...content },
    ...{ imageUploadId: null, imageUrl: null, messageId: null, status: 'MISSING', error: null },
    ...{ createdAt: expect.any(String), updatedAt: expect.any(String) },
  });
  const { messageId } = await settled(place, 'POSTED');
  const link = `http://localhost:3000/verify/${place.id}`;
  const shown = (title: string) => ({
    embeds: [{ title, description: content.text, color: content.color }],
    components: [{ type: 1, components: [{ type: 2, style: 5, label: 'Verify', url: link }] }],
  });
  expect(await messagesIn(place.guildId)).toMatchObject([
    { id: messageId, channel_id: place.hall, ...shown('Welcome') },
  ]);

  const path = `/${created.id}`;
  expect((await call(place, 'PUT', path, { title: 'Ahoy' })).status).toBe(200);
  await eventually(10_000, async () =>
    expect(await messagesIn(place.guildId)).toMatchObject([{ id: messageId, ...shown('Ahoy') }]),
  );

  await call(place, 'PUT', path, { channelId: place.quay });
  await eventually(10_000, async () =>
    expect(await messagesIn(place.guildId)).toMatchObject([
      { channel_id: place.quay, ...shown('Ahoy') },
    ]),
  );
  expect((await settled(place, 'POSTED')).messageId).not.toBe(messageId);

  const gone = await call(place, 'DELETE', path);
  expect(gone.body).toEqual({ data: { id: created.id, deleted: true } });
  expect((await call(place, 'GET')).body.data).toEqual([]);
  expect((await call(place, 'PUT', path, { title: 'x' })).status).toBe(404);
  await eventually(10_000, async () => expect(await messagesIn(place.guildId)).toEqual([]));
  const actions = (await auditOf(place.owner)).data.map(({ action }: { action: string }) => action);
  expect(actions.slice(0, 4)).toEqual([
    ...['panel.delete', 'panel.update', 'panel.update', 'panel.create'],
  ]);
});

test('a panel shows a picture of the account, until it gets another or none', async () => {
  const place = await newPlace();
  const upload = async (owner: Tenant): Promise<{ id: string; url: string }> =>
    (await owner.call('POST', '/api/v1/uploads', { raw: formWith(smallPicture()) })).body.data;
  const [first, second] = [await upload(place.owner), await upload(place.owner)];
  const foreign = await upload(await service.newTenant());
  const body = { channelId: place.hall, ...content, imageUploadId: foreign.id };
  const refused = await call(place, 'POST', '', body);
  expect(Object.keys(refused.body.details.fieldErrors)).toEqual(['imageUploadId']);
  expect((await call(place, 'GET')).body.data).toEqual([]);

  const shows = async (image: { url: string } | undefined) =>
    eventually(10_000, async () => {
      const [message] = await messagesIn(place.guildId);
      expect(message?.embeds).toMatchObject([image ? { image } : { title: content.title }]);
      expect(message?.embeds[0]).not.toHaveProperty(image ? 'none' : 'image');
    });
  const created = await call(place, 'POST', '', { ...body, imageUploadId: first.id });
  expect(created.body.data).toMatchObject({ imageUploadId: first.id, imageUrl: first.url });
  await shows({ url: first.url });
  const path = `/${created.body.data.id}`;
  const changed = await call(place, 'PUT', path, { imageUploadId: second.id });
  expect(changed.body.data.imageUrl).toBe(second.url);
  await shows({ url: second.url });
  await call(place, 'PUT', path, { title: content.title });
  await shows({ url: second.url });
  const without = await call(place, 'PUT', path, { imageUploadId: null });
  expect(without.body.data).toMatchObject({ imageUploadId: null, imageUrl: null });
  await shows(undefined);
  const unused = await service.db.$client`select id from uploads
    where unused_since is not null and account_id = ${place.owner.accountId}`;
  expect(unused.map(({ id }: { id: string }) => id).sort()).toEqual([first.id, second.id].sort());
});

test('a message that a person has deleted is posted again by a PUT, by another bot too', async () => {
  const place = await newPlace();
  const { id } = await create(place, place.hall);
  const first = await settled(place, 'POSTED');
  await change(place.guildId, (guild) => {
    guild.messages = [];
  });
  await call(place, 'PUT', `/${id}`, { title: content.title });
  const second = await eventually(10_000, async () => {
    const [message, ...others] = await messagesIn(place.guildId);
    expect([message?.id ?? first.messageId, others]).not.toEqual([first.messageId, []]);
    expect(others).toEqual([]);
    return message;
  });
  await settled(place, 'POSTED', { messageId: second?.id });

  const customBotId = await createBot(place.owner);
  await place.owner.call('PUT', `/api/v1/servers/${place.id}`, { body: { customBotId } });
  await call(place, 'PUT', `/${id}`, { title: 'Another bot' });
  await eventually(10_000, async () =>
    expect(await messagesIn(place.guildId)).toMatchObject([{ embeds: [{ title: 'Another bot' }] }]),
  );
});

test('a post whose answer is lost is found, not repeated', async () => {
  const place = await newPlace();
  await simulator.control('POST', '/faults', {
    ...{ match: { method: 'POST', route: '/channels/:id/messages', guildId: place.guildId } },
    ...{ when: 'afterApply', action: 'reset' },
  });
  await create(place, place.hall);
  const { messageId } = await settled(place, 'POSTED');
  expect(await messagesIn(place.guildId)).toMatchObject([{ id: messageId }]);
  const posts = (await simulator.readLog()).filter(
    ({ method, path }) => method === 'POST' && path.includes(place.hall),
  );
  expect(posts).toHaveLength(1);
});

test('a panel whose post never arrived takes no other message for its own', async () => {
  const place = await newPlace();
  await create(place, place.hall);
  const { messageId: posted } = await settled(place, 'POSTED');
  const anHour = BigInt(3_600_000) << 22n;
  await change(place.guildId, ({ messages }) => {
    const { nonce: _, ...message } = messages[0];
    const components = structuredClone(message.components);
    components[0].components[0].url = 'https://harbour.example/';
    const idOf = (difference: bigint) => String(BigInt(posted) + difference);
    messages.push(
      { ...message, id: idOf(1n), author: { id: freshId() } },
      { ...message, id: idOf(2n), components },
      { ...message, id: idOf(-anHour) },
    );
  });
  const idsNow = async () => (await messagesIn(place.guildId)).map(({ id }) => id);
  const before = await idsNow();
  await simulator.control('POST', '/faults', {
    ...{ match: { method: 'POST', route: '/channels/:id/messages', guildId: place.guildId } },
    ...{ when: 'before', action: 'reset' },
  });
  const { id } = await create(place, place.hall);
  const own = await eventually(15_000, async () => {
    const panels = (await call(place, 'GET')).body.data;
    const panel = panels.find((each: { id: string }) => each.id === id);
    expect(panel).toMatchObject({ status: 'POSTED' });
    return panel.messageId;
  });
  expect(before).not.toContain(own);
  expect((await idsNow()).sort()).toEqual([...before, own].sort());
});

test('channels that are not in the guild or hold no messages are refused', async () => {
  const place = await newPlace();
  const elsewhere = await newPlace();
  for (const channelId of [randomPlatformId(), elsewhere.hall, place.category]) {
    const reply = await call(place, 'POST', '', { channelId, ...content });
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.body.details.fieldErrors)).toEqual(['channelId']);
  }
  const { id } = await create(place, place.hall);
  const moved = await call(place, 'PUT', `/${id}`, { channelId: elsewhere.hall });
  expect(Object.keys(moved.body.details.fieldErrors)).toEqual(['channelId']);
});

test('a field with a value that the platform could not show is refused', async () => {
  const place = await newPlace();
  const wrong = [
    ['title', ''],
    ['title', ' '],
    ['title', 'x'.repeat(257)],
    ['text', 'x'.repeat(2001)],
    ['text', null],
    ['color', 16_777_216],
    ['color', '#ff0000'],
    ['buttonText', 'x'.repeat(81)],
    ['channelId', 42],
  ] as const;
  for (const [field, value] of wrong) {
    const body = { channelId: place.hall, ...content, [field]: value };
    const reply = await call(place, 'POST', '', body);
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.body.details.fieldErrors)).toEqual([field]);
  }
});

test('of twelve panels at once a server gets ten, and posts each once', async () => {
  const place = await newPlace();
  const body = { channelId: place.hall, ...content };
  const replies = await Promise.all(
    Array.from({ length: 12 }, () => call(place, 'POST', '', body)),
  );
  const statuses = replies.map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array(10).fill(201), 403, 403]);
  await eventually(20_000, async () => {
    const panels: { status: string; messageId: string }[] = (await call(place, 'GET')).body.data;
    expect(panels.map(({ status }) => status)).toEqual(Array(10).fill('POSTED'));
    expect(new Set(panels.map(({ messageId }) => messageId)).size).toBe(10);
  });
  expect(await messagesIn(place.guildId)).toHaveLength(10);
});

test('a panel that the bot may not post has failed, and says what is missing', async () => {
  const place = await newPlace();
  const bots = await place.owner.call('GET', '/api/v1/bots');
  const roleId = freshId();
  await change(place.guildId, (guild) => {
    for (const role of guild.roles) role.permissions = '0';
    // View, send, read history: not embed links.
    guild.roles.push({ id: roleId, name: 'bot', permissions: String(0x10c00) });
    const user = { id: bots.body.data[0].clientId };
    guild.members = [{ user, roles: [roleId] }];
  });
  const { id } = await create(place, place.hall);
  const { error, messageId } = await settled(place, 'FAILED');
  expect([error, messageId]).toEqual([expect.stringContaining('Embed Links'), null]);
  await change(place.guildId, (guild) => {
    for (const role of guild.roles) if (role.id === roleId) role.permissions = String(0x14c00);
  });
  await call(place, 'PUT', `/${id}`, { title: content.title });
  await settled(place, 'POSTED', { error: null });
});
