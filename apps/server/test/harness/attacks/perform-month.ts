import { freshId } from '../simulator/platform.ts';
import type { TestSimulator } from '../simulator/start.ts';
import { actAs } from './act.ts';
import { type HonestAct, type HonestRole, honestRoles, trustedRoles } from './honest-act.ts';
import { honestSize } from './honest-month.ts';
import { newStaff, type Staff, staffedGuild } from './staffed-guild.ts';

type Cast = ReturnType<typeof newCast>;

/** Who is who in a guild of honest people. */
export const newCast = () => {
  const staffOf = (role: HonestRole): Staff => {
    if (role.startsWith('admin')) return newStaff('admin');
    if (role.startsWith('moderator')) return newStaff('moderator');
    if (role === 'modBot') return newStaff('moderator', { isBot: true });
    return newStaff(role === 'roleBot' ? 'roleBot' : 'channelBot', { isBot: true });
  };
  const staff = new Map<HonestRole, Staff>(
    honestRoles.filter((role) => role !== 'owner').map((role) => [role, staffOf(role)]),
  );
  const ownerId = freshId();
  const idOf = (role: HonestRole): string => staff.get(role)?.id ?? ownerId;
  return { ownerId, staff: [...staff.values()], idOf, trustedIds: trustedRoles.map(idOf) };
};

/** The guild of the cast, with room for attackers beside them. */
export const honestGuild = (guildId: string, cast: Cast, attackers: Staff[] = []) =>
  staffedGuild(guildId, {
    ownerId: cast.ownerId,
    staff: [...cast.staff, ...attackers],
    size: honestSize,
  });

type PerformedAct = { act: HonestAct; status: number; answeredAt: number };

type Performance = {
  guildId: string;
  cast: Cast;
  acts: HonestAct[];
  /** When the month begins, on the clock of the simulator's ids; undefined: everything is done now. */
  startsAtMs?: number;
};

/**
 * Does over HTTP what a month tells, one act after the other, each at its own time on the simulator's
 * clock. `performance.now()` tells when it was answered. Whoever is stopped is refused from then on.
 */
export const performMonth = async (
  simulator: TestSimulator,
  { guildId, cast, acts, startsAtMs }: Performance,
): Promise<PerformedAct[]> => {
  const ids = await readIds(simulator, guildId);
  const senders = new Map(
    honestRoles.map((role) => [role, actAs(simulator.apiUrl, cast.idOf(role))]),
  );
  const performed: PerformedAct[] = [];
  for (const act of acts) {
    if (startsAtMs !== undefined) {
      await simulator.control('PUT', '/clock', { idsAtMs: startsAtMs + act.atMs });
    }
    const path = act.path.replace(/\{([^}]+)\}/g, (_, name: string) => idOf(ids, name));
    const answer = await senders.get(act.by)?.(act.method, path, act.body);
    if (!answer) throw new Error(`Nobody is ${act.by}`);
    const { status, body, answeredAt } = answer;
    if (act.makes && status < 300) ids.set(act.makes, body.id);
    performed.push({ act, status, answeredAt });
  }
  if (startsAtMs !== undefined) await simulator.control('PUT', '/clock', { idsAtMs: null });
  return performed;
};

/** People who were never there are made up when they are banned. */
const idOf = (ids: Map<string, string>, name: string): string => {
  const id = ids.get(name) ?? freshId();
  ids.set(name, id);
  return id;
};

type Named = { id: string };

const readIds = async (simulator: TestSimulator, guildId: string): Promise<Map<string, string>> => {
  const state = await simulator.control('GET', `/guilds/${guildId}`);
  const isMade = (name: string) => (thing: Named & { name: string }) => thing.name.startsWith(name);
  const members: { user: Named; nick: string | null }[] = state.members;
  const lists: [string, Named[]][] = [
    ['channel', state.channels.filter(isMade('channel-'))],
    ['role', state.roles.filter(isMade('role-'))],
    ['emoji', state.emojis.filter(isMade('emoji_'))],
    ['member', members.filter(({ nick }) => nick?.startsWith('member-')).map(({ user }) => user)],
  ];
  return new Map([
    ['guild', guildId],
    ...lists.flatMap(([name, things]) =>
      things.map(({ id }, n): [string, string] => [`${name}-${n}`, id]),
    ),
  ]);
};
