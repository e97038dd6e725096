import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eventually } from '../../../../test/harness/eventually.ts';
import { type GatewayFixture, startGatewayFixture } from '../../../../test/harness/gateway.ts';
import {
  newProtectedGuild,
  type ProtectedGuild,
} from '../../../../test/harness/protected-guild.ts';
import { storeIncident } from '../../../../test/harness/protection.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import { permission } from '../../../platform/permissions.ts';
import { neededPermissions } from '../contain/needed-permissions.ts';
import { lookDailyJob } from '../jobs.ts';

let fixture: GatewayFixture;
beforeAll(async () => {
  fixture = await startGatewayFixture({
    doesWork: ['protection.contain', 'protection.look-at-guild'],
  });
});
afterAll(() => fixture.stop());

const enough = neededPermissions.reduce((all, { bit }) => all | bit, permission.viewChannel);

/** The bot has what it needs and no more, and one person is above it, who may time out people. */
const guildOfLesserBot = async () => {
  const holding = fixture.startHolding();
  const guild = await newProtectedGuild(fixture);
  const path = `/guilds/${guild.guildId}`;
  const top = randomPlatformId();
  const role = { color: 0, hoist: false, mentionable: false, managed: false };
  const [own = ''] = (await guild.rolesOf(guild.bot.platformId)) ?? [];
  const state = await guild.now();
  const roles = state.roles.map((one: { id: string }) =>
    one.id === own ? { ...one, permissions: `${enough}` } : one,
  );
  const above = { ...role, id: top, name: 'Top', permissions: `${permission.moderateMembers}` };
  await fixture.simulator.control('PUT', path, {
    ...{ ...state, roles: [...roles, { ...above, position: 90 }] },
  });
  const mallory = await guild.join([top]);
  await eventually(20_000, async () => expect(await limitsOf(guild)).not.toBeNull());
  const timeOut = async (until: Date | null) => {
    const body = { communication_disabled_until: until?.toISOString() ?? null };
    const bot = `${path}/members/${guild.bot.platformId}`;
    expect(await guild.call(mallory, 'PATCH', bot, body)).toBe(200);
  };
  return { guild, mallory, timeOut, holding };
};

const limitsOf = async ({ serverId }: ProtectedGuild): Promise<string[] | null> => {
  const [row] = await fixture.service.db.$client`
    select limits from watched_guilds where server_id = ${serverId}`;
  return row?.limits ?? null;
};

const shownLimits = async ({ owner, serverId }: ProtectedGuild) => {
  const { body } = await owner.call('GET', `/api/v1/servers/${serverId}/protection`);
  return body.data.cannotStop.filter(({ code }: { code: string }) => code === 'TIMED_OUT');
};

const told = (guild: ProtectedGuild) =>
  eventually(20_000, async () => {
    const { body } = await guild.owner.call('GET', '/api/v1/alerts');
    const [alert] = body.data.filter(({ title }: { title: string }) =>
      title.includes('less than before'),
    );
    expect(alert?.detail).toStartWith('The bot is timed out until');
    return alert.detail as string;
  });

test('a bot that is timed out is told at once, with its end, and whoever did it is found when it is over', async () => {
  const { guild, mallory, timeOut } = await guildOfLesserBot();
  // Somebody whom the bot could not stop before.
  const eve = await guild.join();
  const { id } = await storeIncident(guild.owner, guild.serverId, {
    incident: { status: 'open', containedAt: null, guildId: guild.guildId },
    executor: {
      ...{ platformId: eve, status: 'unstoppable', stoppedAt: null, rolesTaken: [] },
      code: 'MISSING_PERMISSION',
    },
  });
  const until = new Date(Date.now() + 8000);
  await timeOut(until);
  const minute = until.toISOString().slice(11, 16);
  expect(await told(guild)).toContain(`${until.toISOString().slice(0, 10)} at ${minute} UTC`);
  expect(await limitsOf(guild)).toContain(`TIMED_OUT ${until.toISOString()}`);
  await eventually(30_000, async () => {
    const limits = (await limitsOf(guild)) ?? [];
    expect(limits.filter((limit) => limit.startsWith('TIMED_OUT'))).toEqual([]);
    const [incident] = await guild.incidents();
    expect(incident).toMatchObject({ id, acts: { total: 3 } });
    expect(incident.executors.map((one: { platformId: string }) => one.platformId)).toContain(
      mallory,
    );
    expect(await guild.rolesOf(eve)).toEqual([guild.pink]);
  });
});

test('a time-out that nobody heard of is found by looking, and one that is taken back is noted', async () => {
  const { guild, timeOut, holding } = await guildOfLesserBot();
  await holding.stop();
  await timeOut(new Date(Date.now() + 3_600_000));
  const daily = lookDailyJob(fixture.service);
  if (daily.subjectOf) throw new Error('It needs no lease');
  await daily.run({}, AbortSignal.timeout(30_000));
  const detail = await told(guild);
  // What was read a moment before may still be shown.
  await eventually(20_000, async () =>
    expect(await shownLimits(guild)).toMatchObject([{ detail }]),
  );
  fixture.startHolding();
  await timeOut(null);
  await eventually(20_000, async () => {
    const limits = (await limitsOf(guild)) ?? [];
    expect(limits.filter((limit) => limit.startsWith('TIMED_OUT'))).toEqual([]);
  });
});
