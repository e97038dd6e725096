import { expect } from 'bun:test';
import { eventually } from './eventually.ts';
import type { GatewayFixture } from './gateway.ts';
import type { ProtectedGuild } from './protected-guild.ts';

/** A guild whose audit log does not tell who deletes in it, and what the service makes of that. */
export const silentLogOf = (fixture: GatewayFixture) => {
  const { simulator, service } = fixture;
  const queued = async ({ serverId }: ProtectedGuild): Promise<string[]> => {
    const rows = await service.db.$client`
      select state, data->>'round' as round from pgboss.job
      where name = 'protection.explain-losses' and data->>'serverId' = ${serverId} order by created_on`;
    return rows.map(({ state, round }: { state: string; round: string }) => `${round} ${state}`);
  };
  return {
    queued,
    /** The gateway tells this bot nothing of audit logs from now on. */
    silence: ({ bot }: ProtectedGuild, isSilent = true) =>
      simulator.control('PUT', '/gateway/faults', {
        ...{ botId: bot.platformId, withoutAuditLog: isSilent },
      }),
    /** Whoever asks for the audit log of the guild gets this. */
    answerWith: ({ guildId }: ProtectedGuild, status: number, body: object, times = 1000) =>
      simulator.control('POST', '/faults', {
        match: { method: 'GET', route: '/guilds/:id/audit-logs', guildId },
        ...{ times, when: 'before', action: 'status', status, body },
      }),
    /** In how many seconds the job that waits is due. */
    async dueIn({ serverId }: ProtectedGuild): Promise<number> {
      const [job] = await service.db.$client`
        select extract(epoch from start_after - now())::float8 as seconds from pgboss.job
        where name = 'protection.explain-losses' and data->>'serverId' = ${serverId}
          and state = 'created'`;
      return job.seconds;
    },
    /** The job that waits runs now, as that round where one is given. */
    async hurry({ serverId }: ProtectedGuild, round: number | null = null) {
      await service.db.$client`
        update pgboss.job set start_after = now(),
          data = data || jsonb_strip_nulls(jsonb_build_object('round', ${round}::int))
        where name = 'protection.explain-losses' and data->>'serverId' = ${serverId}
          and state = 'created'`;
    },
    asked: (guild: ProtectedGuild, rounds: number) =>
      eventually(20_000, async () => {
        const jobs = await queued(guild);
        const ended = jobs.filter((job) => job.endsWith('completed'));
        if (ended.length < rounds) throw new Error(`Not asked yet: ${jobs}`);
        return jobs;
      }),
    lost: ({ serverId }: ProtectedGuild, count: number) =>
      eventually(20_000, async () => {
        const rows = await service.db.$client`
          select 1 from guild_acts where server_id = ${serverId} and kind in ('lost', 'missed')`;
        expect(rows).toHaveLength(count);
      }),
    anIncident: (guild: ProtectedGuild) =>
      eventually(20_000, async () => {
        const [incident] = await guild.incidents();
        if (!incident) throw new Error('No incident yet');
        return incident;
      }),
  };
};
