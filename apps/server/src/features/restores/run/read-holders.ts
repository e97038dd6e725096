import type { GuildMember } from '../../../platform/guild.ts';
import type { IdMap } from '../plan/id-map.ts';
import { findLeastOfOthers, rolesHadIn, rolesOfOnboarding } from '../plan/role-holders.ts';
import type { StoredPlan } from '../plan/step.ts';
import { firstCursor, ignoreAccessRefusal, pageSize } from './read-guild.ts';
import { readOpenRoles } from './read-open-roles.ts';
import type { RestoreRun } from './restore-run.ts';

export type Holders = Awaited<ReturnType<typeof readHolders>>;
type Reading = { oldIds: ReadonlyMap<string, string>; holders: Promise<Holders>; endsAtMs: number };

const shortestMs = 2000;

/**
 * Who has the roles that a restore gives power to. A reading is used for as long as it took, or for two seconds:
 * so a guild of many members is not read for every step, and never longer than it is worked on.
 */
export const createHolderReader = (
  run: RestoreRun,
  plan: StoredPlan,
): ((idMap: IdMap) => Promise<Holders>) => {
  const readHad = rememberHad();
  let last: Reading | undefined;
  return (idMap) => {
    const oldIds = rolesGivenPower(plan, idMap);
    const knowsAll = last && [...oldIds.keys()].every((id) => last?.oldIds.has(id));
    if (last && knowsAll && performance.now() < last.endsAtMs) return last.holders;
    const begunAtMs = performance.now();
    const holders = readHolders({ run, plan }, oldIds, readHad);
    const reading: Reading = { oldIds, holders, endsAtMs: Number.POSITIVE_INFINITY };
    last = reading;
    const end = (lastsMs: number) => {
      reading.endsAtMs = performance.now() + lastsMs;
    };
    holders.then(
      () => end(Math.max(shortestMs, performance.now() - begunAtMs)),
      () => end(0),
    );
    return holders;
  };
};

/** From their ids in the target to those in the backup. */
const rolesGivenPower = ({ given = {} }: StoredPlan, idMap: IdMap): Map<string, string> => {
  const oldIds = Object.values(given).flatMap((roles) => Object.keys(roles));
  return new Map(
    oldIds.flatMap((oldId) => {
      const id = idMap.roles[oldId];
      return id === undefined ? [] : [[id, oldId] as const];
    }),
  );
};

type ReadHad = ReturnType<typeof rememberHad>;

const readHolders = async (
  { run, plan }: { run: RestoreRun; plan: StoredPlan },
  oldIds: ReadonlyMap<string, string>,
  readHad: ReadHad,
) => {
  const { guild, guildId, owner, dependencies } = run;
  const place = { accountId: owner.accountId, guildId };
  const [{ settings, roles, ownerId }, channels, ofOthers, members] = await Promise.all([
    guild.read(),
    guild.readChannels(),
    readOpenRoles(dependencies.db, guild, place),
    readMembersWith(run, oldIds).catch(ignoreAccessRefusal),
  ]);
  const isCommunity = settings.features.includes('COMMUNITY');
  const offered = isCommunity ? rolesOfOnboarding(await guild.readOnboarding()) : [];
  const had = members?.length ? await readHad(run) : new Map();
  const openRoles = ofOthers && [...ofOthers, ...offered];
  const known = { roles, ownerId, had, oldIds };
  const leastOfOthers = findLeastOfOthers({ ...known, members, openRoles });
  // What the restore itself has made is not given to others by it.
  const made = { members: members ?? [], openRoles: openRoles ?? offered };
  const leastOfMade = findLeastOfOthers({ ...known, ...made });
  const before = new Set(plan.idsBefore);
  return {
    channels: new Map(channels.map((channel) => [channel.id, channel])),
    roles: new Map(roles.map((role) => [role.id, role])),
    leastOfOthers: (...[role, there]: Parameters<typeof leastOfOthers>) =>
      before.has(role.id) ? leastOfOthers(role, there) : leastOfMade(role, there),
  };
};

/** Of a large guild only these are kept. */
const readMembersWith = async (
  { guild }: RestoreRun,
  roles: ReadonlyMap<string, string>,
): Promise<GuildMember[]> => {
  const holders: GuildMember[] = [];
  for (let after = firstCursor; ; ) {
    const page = await guild.readMembers(after);
    holders.push(...page.filter(({ roleIds }) => roleIds.some((id) => roles.has(id))));
    const last = page.at(-1);
    if (!last || page.length < pageSize) return holders;
    after = last.userId;
  }
};

/** The backup is read once, and only where somebody has such a role. */
const rememberHad = () => {
  let had: Promise<ReturnType<typeof rolesHadIn>> | undefined;
  return (run: RestoreRun) => {
    had ??= run
      .readSnapshot(['memberRoles'])
      .then((snapshot) => rolesHadIn(snapshot, run.guildId))
      .catch((error: unknown) => {
        had = undefined;
        throw error;
      });
    return had;
  };
};
