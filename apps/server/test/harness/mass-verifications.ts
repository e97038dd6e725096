import { expect } from 'bun:test';
import { eventually } from './eventually.ts';
import { type PullServer, startPullFixture } from './pulls/fixture.ts';
import { randomPlatformId } from './service.ts';

/** The roles of a guild, lowest first; the bot's own is above all of them unless it is told where it is. */
export const verified = { id: '7001', name: 'Verified', permissions: '0', position: 1 };
export const veteran = { id: '7002', name: 'Veteran', permissions: '0', position: 2 };

type Person = { id?: string; bot?: boolean; roles?: string[]; joinedAt?: string };

const roleRoute = '/guilds/:id/members/:id/roles/:id';

/** Guilds with members who never verified, and a worker that gives them the role. */
export const startMassFixture = async ({ doesWork = true }: { doesWork?: boolean } = {}) => {
  const pulls = await startPullFixture({ doesWork: doesWork && ['mass-verifications.run'] });
  const { simulator, log } = pulls;

  const setMembers = (
    { guildId }: Pick<PullServer, 'guildId'>,
    people: Person[],
    guild: object = {},
  ) =>
    simulator.control('PUT', `/guilds/${guildId}`, {
      roles: [verified, veteran],
      members: people.map(({ id = randomPlatformId(), bot = false, roles = [], joinedAt }) => ({
        user: { id, bot },
        roles,
        joined_at: joinedAt ?? '2024-01-01T00:00:00.000Z',
      })),
      ...guild,
    });

  const read = async ({ owner }: Pick<PullServer, 'owner'>, jobId: string) =>
    (await owner.call('GET', `/api/v1/mass-verifications/${jobId}`)).body.data;

  return {
    ...{ simulator, setMembers, read, service: pulls.service, db: pulls.db },

    async newServer(people: Person[] = [], guild: object = {}): Promise<PullServer> {
      const server = await pulls.newServer();
      await setMembers(server, people, guild);
      const path = `/api/v1/servers/${server.serverId}`;
      const body = { verifiedRoleId: verified.id };
      expect((await server.owner.call('PUT', path, { body })).status).toBe(200);
      return server;
    },

    ask: ({ owner, serverId }: PullServer, body: object = {}) =>
      owner.call('POST', `/api/v1/servers/${serverId}/mass-verify`, { body }),

    async begin(server: PullServer, body: object = {}): Promise<string> {
      const { status, body: answer } = await this.ask(server, body);
      expect(status).toBe(202);
      return answer.data.id;
    },

    ended: (server: PullServer, jobId: string) =>
      eventually(30_000, async () => {
        const job = await read(server, jobId);
        expect(job.status).toBeOneOf(['completed', 'failed', 'cancelled']);
        return job;
      }),

    async run(server: PullServer, body: object = {}) {
      return this.ended(server, await this.begin(server, body));
    },

    /** The calls that gave a role in the guild. */
    async gifts({ guildId }: PullServer): Promise<string[]> {
      return (await log())
        .filter(
          ({ method, route, path }) =>
            method === 'PUT' && route === roleRoute && path.includes(`/${guildId}/`),
        )
        .map(({ path }) => path.split('/').at(-3) ?? '');
    },

    async holders({ guildId }: PullServer): Promise<string[]> {
      type Member = { user: { id: string }; roles: string[] };
      const state: { members: Member[] } = await simulator.control('GET', `/guilds/${guildId}`);
      return state.members
        .filter(({ roles }) => roles.includes(verified.id))
        .map(({ user }) => user.id)
        .sort();
    },

    async slowDown(limit: number, perMs: number) {
      const wide = await simulator.control('GET', '/limits');
      const routes = { [`PUT ${roleRoute}`]: { limit, perMs } };
      await simulator.control('PUT', '/limits', { ...wide, routes });
      return { end: () => simulator.control('PUT', '/limits', wide) };
    },

    disturb: ({ guildId }: PullServer, fault: object) =>
      simulator.control('POST', '/faults', {
        match: { method: 'PUT', route: roleRoute, guildId },
        ...fault,
      }),

    stop: pulls.stop,
  };
};

export type MassFixture = Awaited<ReturnType<typeof startMassFixture>>;
