import type { Channel, Overwrite, Role } from '../../../platform/guild.ts';
import { dangerous, grantsOf, permission, without } from '../../../platform/permissions.ts';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import { withoutDangerous } from '../../backups/snapshot/template.ts';
import type { Loss } from './loss.ts';
import { nameMember } from './members-and-bans.ts';
import { onboardingName } from './parts/newcomers.ts';
import { offeringOnly } from './parts/offered-roles.ts';
import { createPlanContext, type PlanContext, type PlanInput } from './plan-context.ts';

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

/** What the roles give that people or options of the onboarding do not have now. */
const withoutPowerfulRoles = ({ snapshot, gains }: Withheld, now: PowerNow): Withheld => {
  const { context } = now;
  const { restores, roleMatch } = context;
  const isKept = (
    roleId: string,
    has: readonly string[],
    gain: Omit<PowerGain, 'role' | 'power'>,
  ) => {
    const power = without(powerAfter(context, snapshot, roleId), now.ofEveryone);
    if (power === 0n || has.includes(roleMatch.get(roleId)?.id ?? '')) return true;
    gains.push({ ...gain, role: now.nameOf({ id: roleId, kind: 'role' }), power });
    return false;
  };
  const members = new Map(context.current.members?.map((member) => [member.userId, member]));
  const memberRoles = snapshot.memberRoles?.map((saved) => {
    const live = members.get(saved.userId);
    const gain = { type: 'member', name: nameMember(saved) } as const;
    const roleIds = saved.roleIds.filter((id) => !live || isKept(id, live.roleIds, gain));
    return { ...saved, roleIds };
  });
  const onboarding = snapshot.onboarding?.map((saved) =>
    offeringOnly(saved, (id) =>
      isKept(id, now.offered, { type: 'onboarding', name: onboardingName }),
    ),
  );
  return {
    gains,
    snapshot: {
      ...snapshot,
      ...(restores('memberRoles') && { memberRoles }),
      ...(restores('onboarding') && { onboarding }),
    },
  };
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
  // Which role or channel it is must not depend on the power that it would get.
  const context = createPlanContext({ ...input, snapshot: harmless(snapshot) });
  const channels = new Map(current.channels.map((channel) => [channel.id, channel]));
  const everyone = current.roles.find(({ id }) => id === current.guildId);
  const ofEveryone = powerOf(everyone);
  const { prompts = [], isEnabled = false } = current.parts?.onboarding ?? {};
  const options = isEnabled ? prompts.flatMap((prompt) => prompt.options) : [];
  const ofRole = (id: string) => powerOf(context.roleMatch.get(id)) | ofEveryone;
  return {
    ...{ context, ofEveryone, ofRole },
    /** Newcomers give themselves these roles already. */
    offered: options.flatMap(({ roleIds }) => roleIds),
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
      return BigInt(own?.allow ?? 0) | without(everywhere, BigInt(own?.deny ?? 0));
    },
  };
};

const powerOf = (role: Role | undefined): bigint => {
  const power = BigInt(role?.permissions ?? 0) & dangerous;
  return (power & permission.administrator) === 0n ? power : dangerous;
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
