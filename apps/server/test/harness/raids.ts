import { expect } from 'bun:test';
import { protection } from '../../src/features/protection/feature.ts';
import { endWavesJob } from '../../src/features/protection/raid/tend-waves.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { newId } from '../../src/kernel/ids.ts';
import type { GuildEvent } from '../../src/platform/gateway/events.ts';
import { createBot, createServer, newBotBody } from './bots-and-servers.ts';
import { openDashboard } from './dashboard/session.ts';
import { eventually } from './eventually.ts';
import { type OwnTenant, randomPlatformId, startTestService } from './service.ts';
import { startTestSimulator } from './simulator/start.ts';

export type RaidFixture = Awaited<ReturnType<typeof startRaidFixture>>;
export type RaidServer = {
  owner: OwnTenant;
  botId: string;
  guildId: string;
  serverId: string;
  dashboard: Awaited<ReturnType<typeof openDashboard>>;
};

const dayMs = 86_400_000;
let madeIds = 0n;

/** An account of that age; each id is another. */
export const accountOfAge = (days: number): string =>
  String((BigInt(Math.floor(Date.now() - days * dayMs) - 1_420_070_400_000) << 22n) + ++madeIds);

export type Comer = { id: string; username: string; hasPicture?: boolean; roles?: string[] };

/** A name that no other has. */
const honestNames = ['marlene', 'otto', 'sailor', 'ingrid', 'kapitan', 'wave', 'nightly', 'pebble'];

export const raider = (at: number): Comer => ({
  ...{ id: accountOfAge(0.5), username: `raider_${1000 + at}`, hasPicture: false },
});
export const honest = (at: number): Comer => {
  const letters = newId().replaceAll(/[^a-f]/g, '');
  return {
    id: accountOfAge(200 + at),
    username: `${letters}${honestNames[at % honestNames.length]}${at}`,
  };
};

/** The service with its jobs about raids. What the gateway would report reaches it as events. */
export const startRaidFixture = async () => {
  const simulator = await startTestSimulator();
  const service = await startTestService({
    platformApiUrl: simulator.apiUrl,
    doesWork: ['protection.contain-raid', 'protection.review-wave', 'protection.resume-invites'],
  });
  const { db, queue } = service;

  const newServer = async (settings: object = { antiRaidEnabled: true }): Promise<RaidServer> => {
    const owner = await service.newTenant();
    const body = newBotBody();
    const botId = await createBot(owner, body);
    const guildId = randomPlatformId();
    const serverId = await createServer(owner, { platformGuildId: guildId, customBotId: botId });
    const path = `/api/v1/servers/${serverId}/protection`;
    expect((await owner.call('PUT', path, { body: settings })).status).toBe(200);
    const dashboard = await openDashboard(service, owner);
    const headers = { authorization: `Bot ${body.botToken}` };
    await (await fetch(`${simulator.apiUrl}/v10/guilds/${guildId}`, { headers })).arrayBuffer();
    return { owner, botId, guildId, serverId, dashboard };
  };

  const report = ({ owner, botId }: RaidServer, events: GuildEvent[]) =>
    db.transaction((tx) =>
      protection.followJoins({ queue, clock: systemClock })(
        tx,
        { botId, accountId: owner.accountId },
        events,
      ),
    );
  const joinOf = (
    { guildId }: RaidServer,
    { id, username, hasPicture = true, roles = [] }: Comer,
    agoMs = 0,
  ): GuildEvent => ({
    ...{ kind: 'memberJoined', guildId, userId: id, isBot: false, username, hasPicture },
    ...{ roleIds: roles, nick: null, joinedAt: new Date(Date.now() - agoMs).toISOString() },
  });

  const stepsOf = (id: string): Promise<{ kind: string; status: string }[]> =>
    db.$client`select kind, status from incident_steps where incident_id = ${id} order by seq`;

  return {
    ...{ service, simulator, db, newServer, report, joinOf, stepsOf },

    join: (server: RaidServer, comers: Comer[], agoMs = 0) =>
      report(
        server,
        comers.map((comer) => joinOf(server, comer, agoMs)),
      ),

    incidentsOf: async ({ owner, serverId }: Pick<RaidServer, 'owner' | 'serverId'>) =>
      (await owner.call('GET', `/api/v1/servers/${serverId}/incidents`)).body.data,

    async contained({ owner }: Pick<RaidServer, 'owner'>, id: string) {
      await eventually(20_000, async () => {
        const { body } = await owner.call('GET', `/api/v1/incidents/${id}`);
        expect(body.data.status).toBe('contained');
      });
    },

    waveOf: async ({ dashboard }: RaidServer, id: string) =>
      (await dashboard.call('GET', `/incidents/${id}/wave`)).body.data,

    async newcomersOf({ dashboard }: RaidServer, id: string, query = 'limit=100') {
      return (await dashboard.call('GET', `/incidents/${id}/newcomers?${query}`)).body.data;
    },

    async stepEnded(id: string, kind: string) {
      await eventually(20_000, async () => {
        expect(await stepsOf(id)).toContainEqual({ kind, status: 'done' });
      });
    },

    async pausedUntil({ guildId }: Pick<RaidServer, 'guildId'>): Promise<string | null> {
      const { guild } = await simulator.control('GET', `/guilds/${guildId}`);
      return guild.incidents_data?.invites_disabled_until ?? null;
    },

    /** As the owner does it in their own client; null resumes. */
    async pauseAsOwner({ guildId }: Pick<RaidServer, 'guildId'>, until: Date | null) {
      const { guild, ...rest } = await simulator.control('GET', `/guilds/${guildId}`);
      const incidents_data = {
        ...{ invites_disabled_until: until?.toISOString() ?? null, dms_disabled_until: null },
      };
      const state = { ...rest, guild: { ...guild, incidents_data } };
      await simulator.control('PUT', `/guilds/${guildId}`, state);
    },

    areRaised: async ({ serverId }: Pick<RaidServer, 'serverId'>): Promise<boolean> =>
      (await db.$client`select 1 from raised_checks where server_id = ${serverId}`).length > 0,

    /** As if so long nobody had joined. */
    async quiet(id: string, minutes: number) {
      await db.$client`update raid_waves set last_join_at = now() - make_interval(mins => ${minutes})
        where incident_id = ${id}`;
      await endWavesJob({ db, queue, clock: systemClock }).run();
    },

    async stop() {
      await service.stop();
      await simulator.stop();
    },
  };
};
