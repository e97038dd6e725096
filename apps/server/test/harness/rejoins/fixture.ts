import { expect } from 'bun:test';
import { rejoins } from '../../../src/features/rejoins/feature.ts';
import type { GuildEvent } from '../../../src/platform/gateway/events.ts';
import { eventually } from '../eventually.ts';
import { listMembers } from '../members.ts';
import type { PulledMember, PullServer } from '../pulls/fixture.ts';
import { type Held, memberOf, startRolesFixture } from '../pulls/roles.ts';

/** Members who leave and come back; what the gateway would report reaches the service as events. */
export const startRejoinFixture = async () => {
  const fixture = await startRolesFixture();
  const { db, service } = fixture;

  const report = ({ owner, botId }: PullServer, ...events: GuildEvent[]) =>
    db.transaction((tx) =>
      rejoins.followMembers(service.queue)(tx, { botId, accountId: owner.accountId }, events),
    );

  const left = ({ guildId }: PullServer, { platformId }: PulledMember): GuildEvent => ({
    ...{ kind: 'memberLeft', guildId, userId: platformId },
  });
  const seen = (
    kind: 'memberJoined' | 'memberChanged',
    { guildId }: PullServer,
    { platformId }: PulledMember,
    { roles = [], nick = null }: Held = {},
  ): GuildEvent => ({
    ...{ kind, guildId, userId: platformId, isBot: false, username: 'ann', hasPicture: true },
    ...{ roleIds: roles, nick, joinedAt: null },
  });

  /** Until nobody waits for what they had. */
  const settled = ({ serverId }: PullServer) =>
    eventually(30_000, async () => {
      const waiting = await db.$client`
        select 1 from seen_members where server_id = ${serverId} and returned_at is not null`;
      expect(waiting).toHaveLength(0);
    });

  /** A new session reports the guild in full, as it does all that it did not hear. */
  const reportGuild = (server: PullServer, ...later: GuildEvent[]) =>
    report(
      server,
      {
        ...{ kind: 'guildAvailable', guildId: server.guildId, name: 'Harbour', iconHash: null },
        ...{ ownerId: '1', memberCount: 0, channelIds: [], roles: [] },
      },
      ...later,
    );

  /** Until the roll that was called last is at its end, and nobody waits for what they had. */
  const rollCalled = async (server: PullServer) => {
    await eventually(30_000, async () => {
      const [call] = await db.$client`
        select number, ended_number from roll_calls where server_id = ${server.serverId}`;
      expect(call.ended_number).toBe(call.number);
    });
    await settled(server);
  };

  return {
    ...fixture,
    reportGuild,
    rollCalled,

    async newSession(server: PullServer) {
      await reportGuild(server);
      await rollCalled(server);
    },

    report,
    left,
    seen,
    settled,

    leave: (server: PullServer, ...people: PulledMember[]) =>
      report(server, ...people.map((person) => left(server, person))),

    changed: (server: PullServer, person: PulledMember, held: Held) =>
      report(server, seen('memberChanged', server, person, held)),

    /** They are in the guild with no more than they bring, and get what they had. */
    async comeBack(server: PullServer, people: PulledMember[], brings: Held = {}) {
      await fixture.setGuild(server, { members: people.map((one) => memberOf(one, brings)) });
      await report(server, ...people.map((one) => seen('memberJoined', server, one, brings)));
      await settled(server);
    },

    async leftAt(server: PullServer, { platformId }: PulledMember): Promise<string | null> {
      const { body } = await listMembers(server, { search: platformId });
      return body.data[0].leftAt;
    },
  };
};

export type RejoinFixture = Awaited<ReturnType<typeof startRejoinFixture>>;
