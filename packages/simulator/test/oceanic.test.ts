import { afterAll, beforeAll, expect, test } from 'bun:test';
import { ChannelTypes, Client, OverwriteTypes } from 'oceanic.js';
import { drawDiscPng } from '../src/platform/cdn/png.ts';
import { botToken, freshId, startTestSimulator, type TestSimulator } from './harness.ts';

let simulator: TestSimulator;
let client: Client;

beforeAll(async () => {
  simulator = await startTestSimulator();
  client = new Client({
    auth: `Bot ${botToken()}`,
    rest: { baseURL: `${simulator.api}/v10` },
  });
  await client.restMode(false);
});
afterAll(() => simulator.stop());

test('a second client library works unchanged', async () => {
  const guildId = freshId();
  const { guilds, channels } = client.rest;
  const role = await guilds.createRole(guildId, { name: 'Crew', permissions: '1024' });
  await guilds.editRole(guildId, role.id, { name: 'Deck crew' });
  await guilds.editRolePositions(guildId, [{ id: role.id, position: 3 }]);
  const roles = await guilds.getRoles(guildId);
  expect(roles.find(({ id }) => id === role.id)).toMatchObject({ name: 'Deck crew', position: 3 });
  const channel = await guilds.createChannel(guildId, ChannelTypes.GUILD_TEXT, { name: 'deck' });
  await channels.editPermission(channel.id, role.id, {
    type: OverwriteTypes.ROLE,
    allow: 1024n,
    deny: 0n,
  });
  await guilds.editChannelPositions(guildId, [{ id: channel.id, position: 2 }]);
  const listed = await guilds.getChannels(guildId);
  expect(listed.map(({ id }) => id)).toContain(channel.id);
  const emoji = await guilds.createEmoji(guildId, { name: 'anchor', image: drawDiscPng(8, 1) });
  await guilds.deleteEmoji(guildId, emoji.id);
  const userId = freshId();
  await guilds.createBan(guildId, userId, { reason: 'Mutiny' });
  expect(await guilds.getBan(guildId, userId)).toMatchObject({ reason: 'Mutiny' });
  await guilds.removeBan(guildId, userId);
  await channels.delete(channel.id);
  await guilds.deleteRole(guildId, role.id);
  expect(guilds.getRole(guildId, role.id)).rejects.toThrow('Unknown Role');
});
