import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { attack } from '../../harness/attacks/attack.ts';
import { honestMonth } from '../../harness/attacks/honest-month.ts';
import { honestGuild, newCast, performMonth } from '../../harness/attacks/perform-month.ts';
import type { AttackKind } from '../../harness/attacks/plan.ts';
import { newStaff, type Staff } from '../../harness/attacks/staffed-guild.ts';
import { type GatewayFixture, startGatewayFixture } from '../../harness/gateway.ts';
import { newProtectedGuild } from '../../harness/protected-guild.ts';

setDefaultTimeout(240_000);

let fixture: GatewayFixture;
beforeAll(async () => {
  fixture = await startGatewayFixture({
    doesWork: ['protection.contain', 'protection.look-at-guild', 'protection.resume-invites'],
  });
  fixture.startHolding();
});
afterAll(() => fixture.stop());

/** A protected guild of honest people, and of attackers beside them. */
const newGuild = async (attackers: Staff[]) => {
  const cast = newCast();
  const trusted = cast.trustedIds.map((platformId) => ({ platformId, note: 'Makes channels' }));
  const guild = await newProtectedGuild(fixture, { settings: { trusted } });
  const state = honestGuild(guild.guildId, cast, attackers);
  await fixture.simulator.control('PUT', `/guilds/${guild.guildId}`, state);
  return { ...guild, cast };
};

const wide = { limit: 1_000_000, perMs: 1000 };
const wideLimits = { default: wide, global: wide };
/** The limits that are left out are the usual ones. */
const setPlatform = async (limits: object, latency: number) => {
  await fixture.simulator.control('PUT', '/limits', limits);
  await fixture.simulator.control('PUT', '/latency', { ms: latency });
};

type Attempt = {
  attackers: ('person' | 'bot')[];
  kinds: AttackKind[];
  alternates?: boolean;
  mostLanded: number;
};

const channels: AttackKind[] = ['deleteChannels'];
const attacks: [string, Attempt][] = [
  ['channels, by a person', { attackers: ['person'], kinds: channels, mostLanded: 3 }],
  ['channels, by a bot', { attackers: ['bot'], kinds: channels, mostLanded: 3 }],
  ['channels, by two in turn', { attackers: ['person', 'bot'], kinds: channels, mostLanded: 5 }],
  ['roles', { attackers: ['person'], kinds: ['deleteRoles'], mostLanded: 3 }],
  ['webhooks', { attackers: ['person'], kinds: ['spamWebhooks'], mostLanded: 4 }],
  ['power for others', { attackers: ['person'], kinds: ['grantAdmin'], mostLanded: 5 }],
  ['bans', { attackers: ['person'], kinds: ['banMembers'], mostLanded: 6 }],
  [
    'channels and roles in turn',
    {
      ...{ attackers: ['person'], kinds: ['deleteChannels', 'deleteRoles'] },
      ...{ alternates: true, mostLanded: 4 },
    },
  ],
];

/** As far away as the platform usually is. One who waits for each answer strikes this often. */
const latencyMs = 50;

test.each(attacks)(
  'an attack at the usual limits is stopped: %s',
  async (_, { attackers, mostLanded, ...what }) => {
    const staff = attackers.map((one) => newStaff('admin', { isBot: one === 'bot' }));
    const guild = await newGuild(staff);
    await guild.known();
    await setPlatform({}, latencyMs);
    const attackerIds = staff.map(({ id }) => id);
    const report = await attack(fixture.simulator, {
      guildId: guild.guildId,
      attackerIds,
      ...what,
    });
    await setPlatform(wideLimits, 0);
    expect([...report.refusedAt.keys()].sort()).toEqual([...attackerIds].sort());
    expect(report.landed.length).toBeLessThanOrEqual(mostLanded);
    const incident = await guild.contained(staff.length);
    const stopped = incident.executors.map(({ platformId }: { platformId: string }) => platformId);
    for (const id of attackerIds) expect(stopped).toContain(id);
  },
);

test('nobody is stopped in a month of honest moderation', async () => {
  const guild = await newGuild([]);
  const acts = honestMonth(18, 10_000);
  const performed = await performMonth(fixture.simulator, {
    ...{ guildId: guild.guildId, cast: guild.cast, acts, startsAtMs: Date.now() },
  });
  await guild.settled();
  expect(await guild.incidents()).toEqual([]);
  expect(performed.filter(({ status }) => status >= 300)).toEqual([]);
  expect(performed.length).toBeGreaterThanOrEqual(10_000);
});
