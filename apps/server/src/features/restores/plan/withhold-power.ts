import type { Channel, Overwrite, Role } from '../../../platform/guild.ts';
import { dangerous, includes, permission, without } from '../../../platform/permissions.ts';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import { withoutDangerous } from '../../backups/snapshot/template.ts';
import type { Loss } from './loss.ts';
import { membersById, nameMember } from './members-and-bans.ts';
import { onboardingName } from './parts/newcomers.ts';
import { offeringOnly } from './parts/offered-roles.ts';
import { type PlacedPower, placePower } from './placed-power.ts';
import { createPlanContext, type PlanContext, type PlanInput } from './plan-context.ts';
import { findLeastOfOthers, rolesHadIn, rolesOfOnboarding } from './role-holders.ts';

/** Power that somebody would get by the content and does not have in the target now. */
type PowerGain = {
  type: 'role' | 'channel' | 'member' | 'onboarding';
  /** Of the thing by which they would get it. */
  name: string;
  /** The role that they would have or get; of an overwrite for one person, their id. */
  role: string;
  power: bigint;
};

type Withheld = { snapshot: Snapshot; gains: PowerGain[] };

/**
 * The content without what gives power that the target does not give now. Whatever is left plans, runs and
 * compares as if the content had been so.
 */
export const withholdPower = (input: PlanInput): Withheld => {
  const gains: PowerGain[] = [];
  const now = powerNow(input);
  const snapshot = { ...input.snapshot };
  const keep = (wanted: bigint, has: bigint, gain: Omit<PowerGain, 'power'>): string => {
    const power = without(wanted & dangerous, has);
    if (power !== 0n) gains.push({ ...gain, power });
    return without(wanted, power).toString();
  };
  const { restores } = now.context;
  if (restores('roles')) {
    snapshot.roles = snapshot.roles?.map((role) => {
      if (!now.isRestored(role)) return role;
      const gain = { type: 'role', name: role.name, role: role.name } as const;
      return { ...role, permissions: keep(BigInt(role.permissions), now.ofRole(role.id), gain) };
    });
  }
  if (restores('channels')) {
    snapshot.channels = snapshot.channels?.map((channel) => {
      const gainOf = (overwrite: Pick<Overwrite, 'id' | 'kind'>) =>
        ({ type: 'channel', name: channel.name, role: now.nameOf(overwrite) }) as const;
      const overwrites = channel.overwrites.map((overwrite) => {
        const wanted = BigInt(overwrite.allow);
        // Most of the overwrites of a large guild: each of the others is looked up.
        if ((wanted & dangerous) === 0n) return { ...overwrite };
        const has = now.inChannel(channel, overwrite);
        return { ...overwrite, allow: keep(wanted, has, gainOf(overwrite)) };
      });
      for (const { id, denied } of now.deniedIn(channel)) {
        const found = overwrites.find((one) => one.kind === 'role' && one.id === id);
        const own = found ?? { id, kind: 'role' as const, allow: '0', deny: '0' };
        const power = without(denied, BigInt(own.deny));
        if (power === 0n) continue;
        gains.push({ ...gainOf(own), power });
        own.deny = String(BigInt(own.deny) | power);
        if (!found) overwrites.push(own);
      }
      return { ...channel, overwrites };
    });
  }
  return withoutPowerfulRoles({ snapshot, gains }, now);
};

const mostNamed = 5;

/** One for each thing, however many get power by it. */
export const lossesOf = (gains: readonly PowerGain[]): Loss[] =>
  [...Map.groupBy(gains, ({ type, name }) => JSON.stringify([type, name])).values()].flatMap(
    (some) => {
      const [first] = some;
      if (!first) return [];
      const { type, name } = first;
      const names = [...new Set(some.map(({ role }) => role))];
      const more = names.length - mostNamed;
      const permissions = some.reduce((all, { power }) => all | power, 0n);
      const isByRole = type === 'member' || type === 'onboarding';
      const code = isByRole ? 'powerfulRolesWithheld' : 'powerWithheld';
      const roles = [...names.slice(0, mostNamed), ...(more > 0 ? [`${more} more`] : [])];
      return [{ type, name, code, permissions, roles }];
    },
  );

/** By whom it is got. */
export const rolesOf = (gains: readonly PowerGain[]): { name: string; power: bigint }[] =>
  [...Map.groupBy(gains, ({ role }) => role)].map(([name, some]) => ({
    name,
    power: some.reduce((all, { power }) => all | power, 0n),
  }));

/**
 * What the roles give that people or options of the onboarding do not have now, and had not in the backup of
 * this guild. The onboarding is judged once more when it is set.
 */
const withoutPowerfulRoles = ({ snapshot, gains }: Withheld, now: PowerNow): Withheld => {
  const { context } = now;
  const { restores, roleMatch } = context;
  const gainBy = powerGainedBy(snapshot, now);
  // Once for each role, however many people have it.
  const powers = new Map<string, bigint>();
  const powerOfRole = (id: string): bigint => {
    const power = powers.get(id) ?? gainBy(id);
    powers.set(id, power);
    return power;
  };
  const keep = (
    roleIds: readonly string[],
    has: readonly string[],
    gain: Omit<PowerGain, 'role' | 'power'>,
  ): string[] =>
    roleIds.filter((id) => {
      if (has.includes(roleMatch.get(id)?.id ?? '')) return true;
      const power = powerOfRole(id);
      if (power === 0n) return true;
      gains.push({ ...gain, role: now.nameOf({ id, kind: 'role' }), power });
      return false;
    });
  const left = { ...snapshot };
  if (restores('memberRoles')) {
    const members = membersById(context);
    left.memberRoles = snapshot.memberRoles?.map((saved) => {
      const live = members.get(saved.userId);
      const gain = { type: 'member', name: nameMember(saved) } as const;
      return live ? { ...saved, roleIds: keep(saved.roleIds, live.roleIds, gain) } : saved;
    });
  }
  if (restores('onboarding')) {
    const gain = { type: 'onboarding', name: onboardingName } as const;
    left.onboarding = snapshot.onboarding?.map((saved) =>
      offeringOnly(saved, (id) => keep([id], now.offered, gain).length > 0),
    );
  }
  return { gains, snapshot: left };
};

/**
 * What a role gives anywhere, as the target has it and as it will have it, and neither everybody has there nor
 * whoever had the role in the backup.
 */
const powerGainedBy = (left: Snapshot, { context, everyone, hasNow, had, ...now }: PowerNow) => {
  const { restores } = context;
  const comes = placePower({
    roles: restores('roles') ? (left.roles ?? []) : [],
    channels: restores('channels') ? (left.channels ?? []) : [],
    everyoneId: left.guildId,
  });
  return (id: string): bigint => {
    const saved = had(id);
    const restored = comes({ id, kind: 'role' });
    const present = hasNow({ id, kind: 'role' });
    const known = everyone.inServer | saved.inServer;
    let gained = without(restored.named | present.named, known);
    const gainIn = (power: bigint, liveId: string | undefined, savedId: string | undefined) => {
      const ofEveryone = liveId === undefined ? everyone.inServer : everyone.inChannel(liveId);
      const before = savedId === undefined ? saved.inServer : saved.inChannel(savedId);
      gained |= without(power, ofEveryone | before);
    };
    for (const [at, power] of restored.givenIn) gainIn(power, now.liveOf(at)?.id, at);
    for (const [at, power] of present.givenIn) gainIn(power, at, now.savedIdOf(at));
    return gained;
  };
};

type PowerNow = ReturnType<typeof powerNow>;

/** Which power there is in the target, and what may be added to it. */
export const powerNow = (input: PlanInput) => {
  const { snapshot, current, earlierIds } = input;
  const isAll = input.withholding !== 'toOthers';
  // Which role or channel it is must not depend on power that it does not get.
  const context = createPlanContext(isAll ? { ...input, snapshot: harmless(snapshot) } : input);
  const everyoneId = current.guildId;
  const powerIn = placePower({ ...current, everyoneId });
  const everyone = powerIn({ id: everyoneId, kind: 'role' });
  const { onboarding } = current.parts ?? {};
  const offered = onboarding ? rolesOfOnboarding(onboarding) : [];
  const isOwn = !isAll && snapshot.guildId === current.guildId;
  const openRoles = input.openRoles && [...input.openRoles, ...offered];
  const oldIds = new Map([...context.roleMatch].map(([oldId, { id }]) => [id, oldId]));
  const had = rolesHadIn(snapshot, current.guildId);
  const leastOfOthers = findLeastOfOthers({ ...current, had, oldIds, openRoles });
  /** What the role, or who has an overwrite, may be given there: by it nobody gets what they did not have. */
  const free = ({ id, kind }: Pick<Overwrite, 'id' | 'kind'>, there?: Channel): bigint => {
    if (isAll) return 0n;
    if (kind === 'member') return isOwn ? dangerous : 0n;
    // Whoever joined since then is one of everybody.
    if (id === snapshot.guildId) return 0n;
    const live = context.roleMatch.get(id);
    return live ? leastOfOthers(live, there) : dangerous;
  };
  const hasNow = ({ id, kind }: Pick<Overwrite, 'id' | 'kind'>): PlacedPower =>
    powerIn({ id: kind === 'role' ? (context.roleMatch.get(id)?.id ?? '') : id, kind });
  const names = new Map(context.savedRoles.map(({ id, name }) => [id, name]));
  const { liveOf, savedIdOf } = placesOf(context, earlierIds);
  const inChannelNow = (savedId: string, overwrite: Overwrite): bigint => {
    const there = liveOf(savedId)?.id;
    const own = hasNow(overwrite);
    if (there === undefined) return own.inServer | everyone.inServer;
    return own.inChannel(there) | without(everyone.inChannel(there), own.deniedIn(there));
  };
  const backup = isOwn ? snapshot : { roles: [], channels: [] };
  const powerThen = placePower({
    roles: backup.roles ?? [],
    channels: backup.channels ?? [],
    everyoneId: snapshot.guildId,
  });
  return {
    context,
    everyone,
    hasNow,
    offered,
    liveOf,
    savedIdOf,
    /** What a role gave to whoever had it. */
    had: (id: string): PlacedPower => powerThen({ id, kind: 'role' }),
    ofRole(id: string): bigint {
      const role = { id, kind: 'role' } as const;
      return hasNow(role).inServer | everyone.inServer | free(role);
    },
    /** Power that roles give in the server and not there, and that stays so: others would get it there. */
    deniedIn(channel: Channel): { id: string; denied: bigint }[] {
      const there = liveOf(channel.id);
      return (there?.overwrites ?? []).flatMap(({ id: liveId, kind, deny }) => {
        const id = liveId === everyoneId ? snapshot.guildId : oldIds.get(liveId);
        if (kind !== 'role' || id === undefined) return [];
        const { inServer } = powerIn({ id: liveId, kind });
        if (includes(inServer, permission.administrator)) return [];
        const denied = BigInt(deny) & (inServer | everyone.inServer);
        return [{ id, denied: without(denied, free({ id, kind }, there)) }];
      });
    },
    /** Nobody makes a role of a bot or an integration, and the bot leaves its own as it is. */
    isRestored: ({ id, botId, isManaged }: Role) =>
      botId !== context.bot.userId && (!isManaged || context.roleMatch.has(id)),
    nameOf: ({ id, kind }: Pick<Overwrite, 'id' | 'kind'>): string =>
      (kind === 'role' ? names.get(id) : undefined) ?? id,
    inChannelNow,
    inChannel: (channel: Channel, overwrite: Overwrite): bigint =>
      inChannelNow(channel.id, overwrite) | free(overwrite, liveOf(channel.id)),
  };
};

/** Which channel of the target is which of the backup, also where it is made anew. */
const placesOf = (
  { current, channelMatch, savedChannels }: PlanContext,
  earlierIds: PlanInput['earlierIds'],
) => {
  const channels = new Map(current.channels.map((channel) => [channel.id, channel]));
  const livesOf = (savedId: string) =>
    [
      channelMatch.get(savedId),
      channels.get(savedId),
      channels.get(earlierIds?.channels[savedId] ?? ''),
    ].flatMap((live) => live ?? []);
  const savedIds = new Map(
    savedChannels.flatMap(({ id }) => livesOf(id).map((live) => [live.id, id] as const)),
  );
  return {
    liveOf: (savedId: string) => livesOf(savedId).at(0),
    savedIdOf: (liveId: string) => savedIds.get(liveId),
  };
};

const harmless = (snapshot: Snapshot): Snapshot => ({
  ...snapshot,
  roles: snapshot.roles?.map((role) => ({
    ...role,
    permissions: withoutDangerous(role.permissions),
  })),
  channels: snapshot.channels?.map((channel) => ({
    ...channel,
    overwrites: channel.overwrites.map((overwrite) => ({
      ...overwrite,
      allow: withoutDangerous(overwrite.allow),
    })),
  })),
});
