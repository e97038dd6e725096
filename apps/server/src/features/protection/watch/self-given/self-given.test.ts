import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eventually } from '../../../../../test/harness/eventually.ts';
import { type GatewayFixture, startGatewayFixture } from '../../../../../test/harness/gateway.ts';
import {
  newProtectedGuild,
  type ProtectedGuild,
} from '../../../../../test/harness/protected-guild.ts';
import { randomPlatformId } from '../../../../../test/harness/service.ts';

const doesWork = [
  ...['protection.contain', 'protection.look-at-guild', 'protection.judge-self-given'],
];
let fixture: GatewayFixture;
beforeAll(async () => {
  fixture = await startGatewayFixture({ doesWork });
});
afterAll(() => fixture.stop());

const executorsOf = (incident: { executors: { platformId: string }[] }) =>
  incident.executors.map(({ platformId }) => platformId).sort();

const offer = (id: string, roleId: string) => ({
  ...{ id: randomPlatformId(), title: 'Who are you?' },
  options: [{ id, title: 'Sailor', role_ids: [roleId], channel_ids: [] }],
});

/** A community that offers a role in its onboarding. */
const communityThatOffers = async (roleOf: (guild: ProtectedGuild) => string) => {
  const guild = await newProtectedGuild(fixture);
  const option = randomPlatformId();
  const state = await guild.now();
  const onboarding = {
    prompts: [offer(option, roleOf(guild))],
    ...{ default_channel_ids: guild.channelIds.slice(0, 7), enabled: true, mode: 0 },
  };
  await fixture.simulator.control('PUT', `/guilds/${guild.guildId}`, {
    ...{ ...state, onboarding, guild: { ...state.guild, features: ['COMMUNITY'] } },
  });
  return { guild, option };
};

const answer = ({ guildId }: ProtectedGuild, userId: string, optionId: string) =>
  fixture.simulator.control('POST', `/guilds/${guildId}/onboarding/answers`, {
    ...{ userId, optionIds: [optionId] },
  });

const giveThemselves = (guild: ProtectedGuild, who: string, roleId: string) =>
  guild.call(who, 'PUT', `/guilds/${guild.guildId}/members/${who}/roles/${roleId}`);

/** Nobody is doubted any more. */
const cleared = async (guild: ProtectedGuild) => {
  await guild.settled();
  await eventually(20_000, async () => {
    const acts: { kind: string }[] = await fixture.service.db.$client`
      select kind from guild_acts where server_id = ${guild.serverId}
        and action = 'memberRolesChanged'`;
    expect(acts.map(({ kind }) => kind)).toEqual(['other']);
  });
};

describe.each([
  ['as it arrives', true],
  ['from what is stored', false],
])('%s', (_, isWatching) => {
  let holding: ReturnType<GatewayFixture['startHolding']>;
  beforeAll(() => {
    holding = fixture.startHolding({}, { isWatching });
  });
  afterAll(() => holding.stop());

  test('who gets a dangerous role by the onboarding is no attacker, and keeps it', async () => {
    const { guild, option } = await communityThatOffers(({ guard }) => guard);
    const sailor = await guild.join([guild.pink]);
    await answer(guild, sailor, option);
    await cleared(guild);
    expect(await guild.incidents()).toEqual([]);
    expect(await guild.rolesOf(sailor)).toEqual([guild.pink, guild.guard]);
  });

  test('who has the power to give themselves one does, whether it is offered or not', async () => {
    const { guild } = await communityThatOffers(({ guard }) => guard);
    const mallory = await guild.join();
    expect(await giveThemselves(guild, mallory, guild.guard)).toBe(204);
    expect(executorsOf(await guild.contained())).toEqual([mallory]);
    expect(await guild.rolesOf(mallory)).toEqual([guild.pink]);
  });

  test('who takes what an attacker has just put into the onboarding is stopped with them', async () => {
    const { guild, option } = await communityThatOffers(({ pink }) => pink);
    const [mallory, accomplice] = [await guild.join(), await guild.join([])];
    const path = `/guilds/${guild.guildId}/onboarding`;
    const prompts = [offer(option, guild.guard)];
    expect(await guild.call(mallory, 'PUT', path, { prompts })).toBe(200);
    await answer(guild, accomplice, option);
    expect(executorsOf(await guild.contained(2))).toEqual([mallory, accomplice].sort());
    await eventually(10_000, async () => expect(await guild.rolesOf(accomplice)).toEqual([]));
  });
});

test('whose roles were taken right after, while nobody listened, had the power', async () => {
  const holding = fixture.startHolding();
  const guild = await newProtectedGuild(fixture);
  const mallory = await guild.join();
  await guild.deleteChannel(mallory, guild.channelIds[0] ?? '');
  await guild.settled();
  await holding.stop();
  expect(await giveThemselves(guild, mallory, guild.guard)).toBe(204);
  const member = `/guilds/${guild.guildId}/members/${mallory}`;
  expect(await guild.call(guild.ownerId, 'PATCH', member, { roles: [] })).toBe(200);
  const next = fixture.startHolding();
  expect(executorsOf(await guild.contained())).toEqual([mallory]);
  await next.stop();
});
