import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eventually } from '../../../../test/harness/eventually.ts';
import { type GatewayFixture, startGatewayFixture } from '../../../../test/harness/gateway.ts';
import { lookAtGuild } from '../../../../test/harness/look-at-guild.ts';
import {
  newProtectedGuild,
  type ProtectedGuild,
} from '../../../../test/harness/protected-guild.ts';
import { memberOf } from '../../../../test/harness/pulls/roles.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import { findGuarded } from '../queries/watched.ts';
import type { LookAt } from './look-job.ts';

let fixture: GatewayFixture;
beforeAll(async () => {
  // The looks at guilds are run by the tests.
  fixture = await startGatewayFixture({ doesWork: ['protection.contain'] });
  fixture.startHolding();
});
afterAll(() => fixture.stop());

const looksOf = async ({ serverId }: ProtectedGuild): Promise<LookAt[]> => {
  const rows = await fixture.service.db.$client`
    select data from pgboss.job where name = 'protection.look-at-guild'
      and data->>'serverId' = ${serverId} order by created_on`;
  return rows.map(({ data }: { data: LookAt }) => data);
};

const look = async (given: LookAt | undefined) => {
  if (!given) throw new Error('Nobody asked for a look');
  await lookAtGuild(fixture, given);
};

test('another bot of the server is known as its own, and the one before is not', async () => {
  const guild = await newProtectedGuild(fixture);
  const { owner, serverId, guildId } = guild;
  await look((await looksOf(guild)).at(-1));
  const known = async (botId: string) => {
    const inGuild = { accountId: owner.accountId, botId, guildId };
    return (await findGuarded(fixture.service.db, inGuild))?.botUserId;
  };
  expect(await known(guild.bot.id)).toBe(guild.bot.platformId);

  const other = await fixture.newBot(owner);
  await guild.join([guild.chief], { isBot: true, platformId: other.platformId });
  const body = { customBotId: other.id };
  expect((await owner.call('PUT', `/api/v1/servers/${serverId}`, { body })).status).toBe(200);
  expect(await known(other.id)).toBeNull();
  const asked = (await looksOf(guild)).at(-1);
  expect(asked).toMatchObject({ botId: other.id, guildId });
  await look(asked);
  expect(await known(other.id)).toBe(other.platformId);
});

test('in another guild nobody is judged at once before its owner is known', async () => {
  const guild = await newProtectedGuild(fixture);
  const { owner, serverId, bot } = guild;
  const guildId = await fixture.joinGuild(bot);
  await eventually(15_000, async () => {
    expect(await fixture.heard(bot, 'guildAvailable')).toContain(guildId);
  });
  // Who the owner is was told before this connection.
  await fixture.act(bot, { action: 'reconnect' });
  await eventually(15_000, async () => {
    expect((await fixture.atGateway(bot)).resumes).toBeGreaterThan(0);
  });
  const [mallory, power] = [randomPlatformId(), randomPlatformId()];
  const state = await fixture.simulator.control('GET', `/guilds/${guildId}`);
  const role = { id: power, name: 'Mod', permissions: `${(1 << 28) | (1 << 5)}`, position: 1 };
  const person = memberOf({ id: '', platformId: mallory }, { nick: null, roles: [power] });
  await fixture.simulator.control('PUT', `/guilds/${guildId}`, {
    ...state,
    roles: [
      ...state.roles,
      { ...role, color: 0, hoist: false, mentionable: false, managed: false },
    ],
    members: [...state.members, { ...person, user: { ...person.user, bot: false } }],
  });
  const body = { platformGuildId: guildId };
  expect((await owner.call('PUT', `/api/v1/servers/${serverId}`, { body })).status).toBe(200);
  const asked = (await looksOf(guild)).at(-1);
  expect(asked).toMatchObject({ guildId, botId: bot.id });

  const grant = { name: 'Deputies', permissions: `${1 << 28}` };
  for (const who of [String(state.guild.owner_id), mallory]) {
    expect(await guild.call(who, 'POST', `/guilds/${guildId}/roles`, grant)).toBe(200);
  }
  await eventually(15_000, async () => {
    const rows = await fixture.service.db.$client`
      select 1 from guild_acts where guild_id = ${guildId} and kind = 'dangerousGrants'`;
    expect(rows).toHaveLength(2);
  });
  expect(await guild.incidents()).toEqual([]);
  await look(asked);
  const incident = await guild.contained();
  expect(incident.executors).toMatchObject([{ platformId: mallory, rolesTaken: [power] }]);
});
