import type { Channel, Overwrite, Role } from '../../../platform/guild.ts';
import { dangerous, dangerousNames, includes, permission } from '../../../platform/permissions.ts';
import type { Action } from './action.ts';
import type { IdMap } from './id-map.ts';
import type { PlanContext } from './plan-context.ts';

const maxNamedChannels = 5;

/**
 * Names the dangerous permissions that @everyone and existing roles gain by the plan: in the guild, and
 * in channels. It reads the steps themselves, so it cannot differ from what will be done. A role that
 * the restore creates has no holders yet and is not mentioned.
 */
export const warnOfGainedPermissions = (
  context: PlanContext,
  actions: Action[],
  roleIds: IdMap['roles'],
): string[] => {
  const roles = new Map(context.current.roles.map((role) => [role.id, role]));
  const findRole = (backupId: string) => roles.get(roleIds[backupId] ?? '');
  const gains = collectGains(context, actions, findRole);
  return [...gains].flatMap(([role, gain]) => describeGain(context, role, gain));
};

type Gain = { everywhere: bigint; inChannels: Map<string, { name: string; bits: bigint }> };
type FindRole = (backupId: string) => Role | undefined;

const collectGains = (
  context: PlanContext,
  actions: Action[],
  findRole: FindRole,
): Map<Role, Gain> => {
  const gains = new Map<Role, Gain>();
  const gainOf = (role: Role): Gain => {
    const gain = gains.get(role) ?? { everywhere: 0n, inChannels: new Map() };
    gains.set(role, gain);
    return gain;
  };
  for (const action of actions) {
    if (action.do === 'editRole' && 'backup' in action.role && action.changes.permissions) {
      const role = findRole(action.role.backup);
      const gained = role ? gainedBits(action.changes.permissions, role) : 0n;
      if (role && gained !== 0n) gainOf(role).everywhere |= gained;
    }
    for (const { role, channelId, name, bits } of channelGains(context, action, findRole)) {
      const { inChannels } = gainOf(role);
      inChannels.set(channelId, { name, bits: bits | (inChannels.get(channelId)?.bits ?? 0n) });
    }
  }
  return gains;
};

/** An administrator gains nothing. */
const gainedBits = (granted: string, role: Role): bigint => {
  const has = BigInt(role.permissions);
  if (includes(has, permission.administrator)) return 0n;
  return BigInt(granted) & dangerous & ~has;
};

/** Only what neither the role has by itself nor the same channel allows it now. */
const channelGains = (context: PlanContext, action: Action, findRole: FindRole) => {
  const target = changedChannel(context, action);
  if (!target) return [];
  const before = new Map(
    (channelBefore(context, target)?.overwrites ?? [])
      .filter(({ kind }) => kind === 'role')
      .map(({ id, allow }) => [id, allow]),
  );
  return target.overwrites.flatMap((overwrite) => {
    const role = overwrite.kind === 'role' ? findRole(overwrite.id) : undefined;
    if (!role) return [];
    const bits = gainedBits(overwrite.allow, role) & ~BigInt(before.get(role.id) ?? '0');
    return bits === 0n ? [] : [{ role, bits, channelId: target.channelId, name: target.name }];
  });
};

/** A channel that was restored before has another id: then it is found by its name, if unique. */
const channelBefore = (
  { current: { channels }, channelMatch }: PlanContext,
  target: { channelId: string; name: string },
): Channel | undefined => {
  const namesakes = channels.filter(({ name }) => name === target.name);
  return (
    channelMatch.get(target.channelId) ??
    channels.find(({ id }) => id === target.channelId) ??
    (namesakes.length === 1 ? namesakes[0] : undefined)
  );
};

/** Undefined also for the step that hides an existing channel, which only takes rights away. */
const changedChannel = (
  { savedChannels }: PlanContext,
  action: Action,
): { channelId: string; name: string; overwrites: Overwrite[] } | undefined => {
  if (action.do === 'createChannel') {
    return { channelId: action.oldId, name: action.wish.name, overwrites: action.wish.overwrites };
  }
  const edit =
    action.do === 'editChannel'
      ? { channel: action.channel, overwrites: action.changes.overwrites }
      : action.do === 'setOverwrites'
        ? action
        : undefined;
  if (!edit?.overwrites || !('backup' in edit.channel)) return undefined;
  const channelId = edit.channel.backup;
  const name = savedChannels.find(({ id }) => id === channelId)?.name ?? channelId;
  return { channelId, name, overwrites: edit.overwrites };
};

const describeGain = (
  { current }: PlanContext,
  role: Role,
  { everywhere, inChannels }: Gain,
): string[] => {
  const who = role.id === current.guildId ? '@everyone' : `Role ${role.name}`;
  const describe = (where: string, names: string) =>
    `${who} gains dangerous permissions${where}: ${names}.`;
  const byNames = Map.groupBy(
    [...inChannels.values()].filter(({ bits }) => (bits & ~everywhere) !== 0n),
    ({ bits }) => dangerousNames(bits & ~everywhere).join(', '),
  );
  return [
    ...(everywhere === 0n ? [] : [describe('', dangerousNames(everywhere).join(', '))]),
    ...[...byNames].map(([names, channels]) => describe(` in ${listChannels(channels)}`, names)),
  ];
};

const listChannels = (channels: { name: string }[]): string => {
  const named = channels.slice(0, maxNamedChannels).map(({ name }) => `#${name}`);
  const more = channels.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
};
