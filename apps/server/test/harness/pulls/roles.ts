import { expect } from 'bun:test';
import { createBackupFixture } from '../backups/fixture.ts';
import { type PulledMember, type PullServer, startPullFixture } from './fixture.ts';

const kick = 1n << 1n;
const manageMessages = 1n << 13n;

export const crew = { id: '7001', name: 'Crew', permissions: '0' };
export const artist = { id: '7002', name: 'Artist', permissions: '1024' };
export const mate = { id: '7003', name: 'Mate', permissions: String(kick) };
export const helper = { id: '7004', name: 'Helper', permissions: '0' };
export const boosters = { id: '7005', name: 'Boosters', permissions: '0', managed: true };
const roles = [crew, artist, mate, helper, boosters];
/** The helper moderates one channel. */
const channels = [
  {
    id: '7101',
    name: 'deck',
    permission_overwrites: [{ id: helper.id, type: 0, allow: String(manageMessages), deny: '0' }],
  },
];

export type Held = { nick?: string | null; roles?: string[] };
type SimulatedMember = Held & { user: { id: string }; joined_at?: string };

/** As the simulator's control reads a member. */
export const memberOf = ({ platformId }: PulledMember, held: Held = {}) => ({
  user: { id: platformId },
  nick: held.nick ?? null,
  roles: held.roles ?? [],
  joined_at: '2020-01-01T00:00:00.000Z',
});

/** Pulls of members whose roles are in a backup. */
export const startRolesFixture = async ({ rereadRolesAfterMs = 500 } = {}) => {
  const fixture = await startPullFixture({ pullPauses: { rereadRolesAfterMs } });
  const backups = createBackupFixture(fixture.service, fixture.simulator);

  const setGuild = ({ guildId }: PullServer, guild: object) =>
    fixture.simulator.control('PUT', `/guilds/${guildId}`, { roles, channels, ...guild });

  return {
    ...fixture,
    backups,
    setGuild,

    /** Backs the guild up with these members in it, who are gone afterwards. */
    async backUp(server: PullServer, members: SimulatedMember[], guild: object = {}) {
      await setGuild(server, { members, ...guild });
      const backup = await backups.takeBackup({ ...server, tenant: server.owner });
      expect(backup.status).toBe('completed');
      await setGuild(server, {});
      return backup;
    },

    async heldIn({ guildId }: PullServer, { platformId }: PulledMember) {
      const { members } = await fixture.simulator.control('GET', `/guilds/${guildId}`);
      const found = members.find(({ user }: SimulatedMember) => user.id === platformId);
      return found && { nick: found.nick, roles: found.roles.toSorted() };
    },

    callsAbout: async ({ guildId }: PullServer, { platformId }: PulledMember) =>
      (await fixture.log())
        .filter(({ path }) => path.includes(`/guilds/${guildId}/members/${platformId}`))
        .map(({ method, status }) => `${method} ${status}`),
  };
};

export type RolesFixture = Awaited<ReturnType<typeof startRolesFixture>>;
