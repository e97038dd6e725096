import type { Channel, Overwrite, Role } from '../../../platform/guild.ts';
import { dangerous, grantsOf, powerIn, without } from '../../../platform/permissions.ts';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import { withoutDangerous } from '../../backups/snapshot/template.ts';
import type { Loss } from './loss.ts';
import { membersById, nameMember } from './members-and-bans.ts';
import { onboardingName } from './parts/newcomers.ts';
import { offeringOnly } from './parts/offered-roles.ts';
import { createPlanContext, type PlanContext, type PlanInput } from './plan-context.ts';
import { findLeastOfOthers } from './role-holders.ts';

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
    snapshot.channels = snapshot.channels?.map((channel) => ({
      ...channel,
      overwrites: channel.overwrites.map((overwrite) => {
        const role = now.nameOf(overwrite);
        const gain = { type: 'channel', name: channel.name, role } as const;
        const has = now.inChannel(channel, overwrite);
        return { ...overwrite, allow: keep(BigInt(overwrite.allow), has, gain) };
      }),
    }));
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
  // Once for each role, however many people have it.
  const powers = new Map<string, bigint>();
  const powerOfRole = (id: string): bigint => {
    const known = powers.get(id);
    if (known !== undefined) return known;
    const power = without(powerAfter(context, snapshot, id), now.ofEveryone | now.inBackup(id));
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

/** As the target has it, and as it will have it. */
const powerAfter = (
  { roleMatch, current, restores }: PlanContext,
  snapshot: Snapshot,
  id: string,
) => {
  const live = roleMatch.get(id);
  const saved = snapshot.roles?.find((role) => role.id === id);
  const channels = restores('channels') ? (snapshot.channels ?? []) : [];
  const permissions = restores('roles') ? (saved?.permissions ?? '0') : '0';
  const grants = grantsOf({ id, permissions }, channels);
  return (grants | (live ? grantsOf(live, current.channels) : 0n)) & dangerous;
};

type PowerNow = ReturnType<typeof powerNow>;

const powerNow = (input: PlanInput) => {
  const { snapshot, current, earlierIds } = input;
  const isAll = input.withholding !== 'toOthers';
  // Which role or channel it is must not depend on power that it does not get.
  const context = createPlanContext(isAll ? { ...input, snapshot: harmless(snapshot) } : input);
  const channels = new Map(current.channels.map((channel) => [channel.id, channel]));
  const everyone = current.roles.find(({ id }) => id === current.guildId);
  const ofEveryone = powerOf(everyone);
  const { prompts = [], isEnabled = false } = current.parts?.onboarding ?? {};
  const options = isEnabled ? prompts.flatMap((prompt) => prompt.options) : [];
  const offered = options.flatMap(({ roleIds }) => roleIds);
  const isOwn = !isAll && snapshot.guildId === current.guildId;
  const leastOfOthers = findLeastOfOthers(context, { isOwn, offered });
  /** What the role, or who has an overwrite, may be given: by it nobody gets what they did not have. */
  const free = ({ id, kind }: Pick<Overwrite, 'id' | 'kind'>): bigint => {
    if (isAll) return 0n;
    if (kind === 'member') return isOwn ? dangerous : 0n;
    // Whoever joined since then is one of everybody.
    if (id === snapshot.guildId) return 0n;
    const live = context.roleMatch.get(id);
    return live ? leastOfOthers(live) : dangerous;
  };
  const ofRole = (id: string) =>
    powerOf(context.roleMatch.get(id)) | ofEveryone | free({ id, kind: 'role' });
  return {
    ...{ context, ofEveryone, ofRole, offered },
    /** What a role gave there to whoever had it. */
    inBackup(id: string): bigint {
      const saved = snapshot.roles?.find((role) => role.id === id);
      if (!isOwn || !saved) return 0n;
      return powerIn(grantsOf(saved, snapshot.channels ?? []));
    },
    /** Nobody makes a role of a bot or an integration, and the bot leaves its own as it is. */
    isRestored: ({ id, botId, isManaged }: Role) =>
      botId !== context.bot.userId && (!isManaged || context.roleMatch.has(id)),
    nameOf({ id, kind }: Pick<Overwrite, 'id' | 'kind'>): string {
      const role =
        kind === 'role' ? context.savedRoles.find((saved) => saved.id === id) : undefined;
      return role?.name ?? id;
    },
    inChannel(channel: Channel, { id, kind }: Overwrite): bigint {
      const subject = kind === 'role' ? context.roleMatch.get(id)?.id : id;
      const live =
        context.channelMatch.get(channel.id) ??
        channels.get(channel.id) ??
        channels.get(earlierIds?.channels[channel.id] ?? '');
      const own = live?.overwrites.find((one) => one.kind === kind && one.id === subject);
      const everywhere = kind === 'role' ? ofRole(id) : ofEveryone;
      const now = BigInt(own?.allow ?? 0) | without(everywhere, BigInt(own?.deny ?? 0));
      return now | free({ id, kind });
    },
  };
};

const powerOf = (role: Role | undefined): bigint => powerIn(BigInt(role?.permissions ?? 0));

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
