import { afterAll, expect, test } from 'bun:test';
import { botToken, clientId, startIdentities, userId } from '../../../test/oauth-harness.ts';

const sim = startIdentities();
afterAll(sim.stop);

const unauthorized = { message: '401: Unauthorized', code: 0 };
const json = async (answer: Promise<Response>): Promise<unknown> => (await answer).json();

test('a bot token says which application it belongs to', async () => {
  const bot = sim.identities.botOf(`Bot ${botToken(clientId)}`);
  expect(bot).toMatchObject({ id: clientId, isBound: true });
  expect(await json(sim.get('/users/@me', `Bot ${botToken(clientId)}`))).toMatchObject({
    id: clientId,
    bot: true,
    email: null,
    discriminator: '0001',
  });
});

test('open mode accepts any other bot token, always for the same bot', () => {
  const first = sim.identities.botOf('Bot anything-at-all');
  expect(first).toMatchObject({ isBound: false, id: expect.stringMatching(/^\d{17,19}$/) });
  expect(sim.identities.botOf('Bot anything-at-all')?.id).toBe(first?.id ?? '');
  expect(sim.identities.botOf('Bot something-else')?.id).not.toBe(first?.id ?? '');
});

test('strict mode accepts only the bot token that was set', async () => {
  const strict = startIdentities({ isOpen: false });
  const token = botToken(clientId);
  expect(strict.identities.botOf(`Bot ${token}`)).toBeUndefined();
  await strict.control('PUT', `/__sim/bots/${clientId}`, { botToken: token, name: 'Keeper' });
  expect(strict.identities.botOf(`Bot ${token}`)?.name).toBe('Keeper');
  expect(strict.identities.botOf(`Bot ${token}x`)).toBeUndefined();
  expect(strict.identities.findUser('123456789012345678')).toBeUndefined();
  await strict.stop();
});

test('a dead bot is refused until it is revived', async () => {
  const id = '910000000000000001';
  const ask = () => sim.get('/users/@me', `Bot ${botToken(id)}`);
  expect((await ask()).status).toBe(200);
  const set = (isDead: boolean) => json(sim.control('PUT', `/__sim/bots/${id}`, { isDead }));
  expect(await set(true)).toMatchObject({ id, isDead: true });
  expect([(await ask()).status, await json(ask())]).toEqual([401, unauthorized]);
  await set(false);
  expect((await ask()).status).toBe(200);
});

test('an id always belongs to the same user', async () => {
  const id = '640000000000000001';
  const ask = () => json(sim.get(`/users/${id}`, `Bot ${botToken(clientId)}`));
  const person = await ask();
  expect(person).toMatchObject({ id, discriminator: '0', primary_guild: null, flags: 0 });
  expect(await ask()).toEqual(person);
});

test('a token shows its user with the scope identify, and the address only with email', async () => {
  const { access_token } = await sim.pair();
  const shown = await json(sim.get('/users/@me', `Bearer ${access_token}`));
  expect(shown).toMatchObject({ id: userId, username: 'quiet.heron', locale: 'en-US' });
  expect(shown).not.toHaveProperty('email');

  const wide = await sim.pair({ scopes: ['identify', 'email'] });
  const more = await json(sim.get('/users/@me', `Bearer ${wide.access_token}`));
  expect(more).toMatchObject({ email: `${userId}@example.test`, verified: true });

  const narrow = await sim.pair({ scopes: ['guilds.join'] });
  const less = sim.get('/users/@me', `Bearer ${narrow.access_token}`);
  expect([(await less).status, await json(less)]).toEqual([401, unauthorized]);
});

test('the servers of a user need the scope guilds, and come in pages', async () => {
  const guildIds = ['300000000000000003', '300000000000000001', '300000000000000002'];
  await sim.control('PUT', `/__sim/users/${userId}`, { guildIds });
  const { access_token } = await sim.pair({ scopes: ['guilds'] });
  const list = async (query = '') => {
    const guilds = await json(sim.get(`/users/@me/guilds${query}`, `Bearer ${access_token}`));
    return (guilds as { id: string; approximate_member_count?: number }[]).map((guild) => guild);
  };
  const endings = async (query: string) =>
    (await list(query)).map(({ id }) => id.slice(-1)).join('');
  expect(await endings('')).toBe('123');
  expect(await endings('?limit=2')).toBe('12');
  expect(await endings('?after=300000000000000001&limit=1')).toBe('2');
  expect(await endings('?before=300000000000000003&limit=1')).toBe('2');
  expect((await list())[0]).not.toHaveProperty('approximate_member_count');
  expect((await list('?with_counts=true'))[0]?.approximate_member_count).toBe(7);

  const { access_token: without } = await sim.pair();
  expect((await sim.get('/users/@me/guilds', `Bearer ${without}`)).status).toBe(401);
});

test('an authorization has its application, scopes and expiry', async () => {
  const { access_token } = await sim.pair();
  const shown = await json(sim.get('/oauth2/@me', `Bearer ${access_token}`));
  expect(shown).toMatchObject({
    application: { id: clientId, verify_key: expect.stringMatching(/^[0-9a-f]{64}$/) },
    scopes: ['identify', 'guilds.join'],
    user: { id: userId },
    expires: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  const narrow = await sim.pair({ scopes: ['guilds'] });
  const less = await json(sim.get('/oauth2/@me', `Bearer ${narrow.access_token}`));
  expect(less).not.toHaveProperty('user');
});

test.each(['/applications/@me', '/oauth2/applications/@me'])(
  '%s describes the bot',
  async (path) => {
    const shown = await json(sim.get(path, `Bot ${botToken(clientId)}`));
    expect(shown).toMatchObject({
      id: clientId,
      bot: { id: clientId, bot: true },
      owner: { username: 'amber.otter' },
      team: null,
    });
  },
);

test('an application shows its key and the redirects that were set', async () => {
  const id = '910000000000000002';
  const redirectUris = ['https://service.example/callback', 'https://service.example/other'];
  const shown = () => json(sim.get('/applications/@me', `Bot ${botToken(id)}`));
  expect(await shown()).toMatchObject({
    verify_key: expect.stringMatching(/^[0-9a-f]{64}$/),
    redirect_uris: [],
  });
  await sim.control('PUT', `/__sim/bots/${id}`, { redirectUris });
  expect(await shown()).toMatchObject({ redirect_uris: redirectUris });
});

test('the control API sets a user: name, state, guild limit and existence', async () => {
  const id = '650000000000000001';
  const changes = {
    username: 'grey.goose',
    tokenState: 'expired',
    atGuildCap: true,
    unknown: true,
  };
  const set = await json(sim.control('PUT', `/__sim/users/${id}`, changes));
  expect(set).toMatchObject({ id, globalName: null, ...changes });
  expect(sim.identities.findUser(id)).toMatchObject({ isUnknown: true, atGuildCap: true });

  const { access_token } = await sim.pair({ userId: id });
  expect((await sim.get('/users/@me', `Bearer ${access_token}`)).status).toBe(401);
  const asked = sim.get(`/users/${id}`, `Bot ${botToken(clientId)}`);
  expect([(await asked).status, await json(asked)]).toEqual([
    404,
    { message: 'Unknown User', code: 10013 },
  ]);
  await sim.control('PUT', `/__sim/users/${id}`, { unknown: false });
  expect(sim.identities.findUser(id)).toMatchObject({ username: 'grey.goose', isUnknown: false });
});

test('avatars are images, always the same ones', async () => {
  const hash = 'a'.repeat(32);
  for (const path of ['/cdn/embed/avatars/3.png', `/cdn/avatars/${userId}/${hash}.png?size=64`]) {
    const answer = await sim.send(path);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
    const bytes = await answer.bytes();
    expect([...bytes.slice(0, 4)]).toEqual([0x89, 0x50, 0x4e, 0x47]);
    expect(await (await sim.send(path)).bytes()).toEqual(bytes);
  }
  for (const path of ['/cdn/embed/avatars/6.png', '/cdn/avatars/x/y.png']) {
    expect((await sim.send(path)).status).toBe(404);
  }
});
