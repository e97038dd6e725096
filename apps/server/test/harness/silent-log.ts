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
    /** The job that waits runs now. */
    async hurry({ serverId }: ProtectedGuild) {
      await service.db.$client`
        update pgboss.job set start_after = now()
        where name = 'protection.explain-losses' and data->>'serverId' = ${serverId}`;
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
