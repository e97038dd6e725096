import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  botToken,
  freshId,
  startTestSimulator,
  type TestSimulator,
} from '../../../test/harness.ts';

let simulator: TestSimulator;

beforeAll(async () => {
  simulator = await startTestSimulator();
});
afterAll(() => simulator.stop());

const as = (id: string) => (method: string, path: string, body?: unknown) =>
  simulator.call(method, path, body, botToken(id));

const codeOf = async (response: Response) => (response.ok ? 'done' : (await response.json()).code);

test('a bot that joins later has every power except over the bot that was there before it', async () => {
  const [guildId, firstId, laterId] = [freshId(), freshId(), freshId()];
  const [first, later] = [as(firstId), as(laterId)];
  await first('GET', `/guilds/${guildId}`);
  expect(await codeOf(await later('PATCH', `/guilds/${guildId}`, { name: 'Taken over' }))).toBe(
    'done',
  );
  expect(await codeOf(await later('DELETE', `/guilds/${guildId}/members/${firstId}`))).toBe(50013);
  expect(await codeOf(await first('DELETE', `/guilds/${guildId}/members/${laterId}`))).toBe('done');
});

test('a bot that was kicked or banned does not come back by asking, until somebody adds it', async () => {
  for (const path of ['members', 'bans']) {
    const [guildId, ownId, otherId] = [freshId(), freshId(), freshId()];
    const [own, other] = [as(ownId), as(otherId)];
    await own('GET', `/guilds/${guildId}`);
    await other('GET', `/guilds/${guildId}`);
    const method = path === 'bans' ? 'PUT' : 'DELETE';
    await own(method, `/guilds/${guildId}/${path}/${otherId}`, {});
    expect(await codeOf(await other('GET', `/guilds/${guildId}`))).toBe(50001);
    const roles = await (await own('GET', `/guilds/${guildId}/roles`)).json();
    const isOfOther = ({ tags }: { tags?: { bot_id?: string } }) => tags?.bot_id === otherId;
    expect(roles.some(isOfOther)).toBe(false);
    await simulator.control('PUT', `/users/${otherId}`, { guildIds: [guildId] });
    expect(await codeOf(await other('GET', `/guilds/${guildId}`))).toBe('done');
  }
});

test('a person who is listed acts by a token of their own, with the powers of their roles', async () => {
  const [guildId, personId, roleId] = [freshId(), freshId(), freshId()];
  await simulator.control('PUT', `/guilds/${guildId}`, {
    roles: [
      { id: guildId, name: '@everyone', permissions: '1024' },
      { id: roleId, name: 'Moderator', permissions: String(1 << 4) },
    ],
    members: [{ user: { id: personId, bot: false }, roles: [roleId] }],
    botAccess: { isMember: false },
  });
  const person = as(personId);
  expect(await codeOf(await person('POST', `/guilds/${guildId}/channels`, { name: 'x' }))).toBe(
    'done',
  );
  expect(await codeOf(await person('POST', `/guilds/${guildId}/roles`, { name: 'x' }))).toBe(50013);
  const member = await (await person('GET', `/guilds/${guildId}/members/${personId}`)).json();
  expect(member.user.bot).toBeUndefined();
  // Nobody else is let in.
  expect(await codeOf(await as(freshId())('GET', `/guilds/${guildId}`))).toBe(50001);
});
