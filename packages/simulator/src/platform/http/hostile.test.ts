import { afterAll, beforeAll, expect, test } from 'bun:test';
import { freshId, startTestSimulator, type TestSimulator } from '../../../test/harness.ts';

let simulator: TestSimulator;

beforeAll(async () => {
  simulator = await startTestSimulator();
});
afterAll(() => simulator.stop());

const bodies = [
  undefined,
  null,
  [],
  'text',
  { name: 5, permissions: '-1', color: 1e99, roles: 'x', image: {}, type: [] },
  { name: '', access_token: null, permission_overwrites: [{ id: 'x' }], parent_id: '1' },
  [{ id: '1', position: -1 }, { id: {} }],
  { permission_overwrites: [{ id: '1', type: 7, allow: 'x' }], available_tags: [{}] },
  { name: 'x', trigger_type: 1, event_type: 1, actions: [{}], trigger_metadata: { presets: {} } },
  { prompts: [{ id: '1', title: 'x', options: [{}] }], default_channel_ids: ['x'], enabled: true },
  { embeds: [{ fields: 'x' }], components: [{ type: 1, components: [1] }], poll: { question: {} } },
  {
    content: 'x',
    components: [{ type: 1, components: [1, null] }],
    poll: { question: { text: '' } },
  },
  { name: 'x', sound: 'data:audio/ogg;base64,', scheduled_start_time: 'soon', entity_type: 3 },
];

test('no body and no path makes the simulator fail', async () => {
  const guildId = freshId();
  const { channels, webhooks, invites } = await simulator.control('GET', `/guilds/${guildId}`);
  const paths = [
    ...['', '/roles', '/channels', '/emojis', '/stickers', '/bans/1', '/members/1'].map(
      (path) => `/guilds/${guildId}${path}`,
    ),
    ...['', '/messages', '/invites', '/webhooks', '/permissions/1', '/permissions/x'].map(
      (path) => `/channels/${channels[1].id}${path}`,
    ),
    ...[
      ...['/auto-moderation/rules', '/auto-moderation/rules/1', '/onboarding', '/welcome-screen'],
      ...[
        '/widget',
        '/widget.json',
        '/scheduled-events',
        '/scheduled-events/1',
        '/soundboard-sounds',
      ],
      ...['/soundboard-sounds/1', '/integrations', '/threads/active'],
    ].map((path) => `/guilds/${guildId}${path}`),
    ...[
      ...['/threads', '/messages/1/threads', '/threads/archived/public?before=x', '/pins/1'],
      ...['/messages/pins?limit=0', '/messages/1/reactions/%F0%9F/@me', '/thread-members/x'],
    ].map((path) => `/channels/${channels[1].id}${path}`),
    `/webhooks/${webhooks[0].id}/${webhooks[0].token}?wait=true&thread_id=x`,
    `/webhooks/${webhooks[0].id}/${webhooks[0].token}/messages/1`,
    `/invites/${invites[0].code}/target-users`,
    `/guilds/${guildId}/roles/${guildId}`,
    `/guilds/${guildId}/members?limit=x&after=y`,
    `/guilds/${guildId}/bans?before=-1`,
    '/guilds/abc/roles',
    '/channels/%00',
    '/webhooks/1/2',
    '/invites/nope',
  ];
  for (const path of paths) {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH']) {
      for (const body of method === 'GET' ? [undefined] : bodies) {
        const response = await simulator.call(method, path, body);
        const answer = `${method} ${path} ${JSON.stringify(body)} ${response.status}`;
        expect(response.status < 500 ? 'answered' : answer).toBe('answered');
      }
    }
  }
});

test('invalid JSON and an invalid form are refused', async () => {
  const url = `${simulator.api}/v10/guilds/${freshId()}`;
  const send = (path: string, type: string) =>
    fetch(url + path, {
      method: 'POST',
      headers: { Authorization: 'Bot x', 'Content-Type': type },
      body: '{"name":',
    });
  expect(await (await send('/channels', 'application/json')).json()).toMatchObject({ code: 50109 });
  const form = await send('/stickers', 'multipart/form-data; boundary=x');
  expect([form.status, (await form.json()).code]).toEqual([400, 50035]);
});

test('a request without a bot token is refused', async () => {
  const response = await fetch(`${simulator.api}/v10/guilds/${freshId()}`);
  expect([response.status, await response.json()]).toEqual([
    401,
    { message: '401: Unauthorized', code: 0 },
  ]);
});
