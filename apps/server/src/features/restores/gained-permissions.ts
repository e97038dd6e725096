import type { Channel, Overwrite, Role } from '../../platform/guild.ts';
import { dangerous, includes, nameDangerous, permission } from '../../platform/permissions.ts';
import type { Action } from './action.ts';
import type { IdMap } from './id-map.ts';
import type { Scene } from './scene.ts';

const channelsNamed = 5;

/**
 * Which dangerous permissions @everyone and the roles that are here gain by the plan: in the server,
 * and in channels. It looks at the steps themselves, so it cannot differ from what will be done. A role
 * that the restore makes has no holders yet and is not told of.
 */
export const warnOfGainedPermissions = (
  scene: Scene,
  actions: Action[],
  known: IdMap['roles'],
): string[] => {
  const roles = new Map(scene.present.roles.map((role) => [role.id, role]));
  const find = (backupId: string) => roles.get(known[backupId] ?? '');
  const gains = collectGains(scene, actions, find);
  return [...gains].flatMap(([role, gain]) => sentencesFor(scene, role, gain));
};

type Gain = { everywhere: bigint; inChannels: Map<string, { name: string; bits: bigint }> };
type FindRole = (backupId: string) => Role | undefined;

const collectGains = (scene: Scene, actions: Action[], find: FindRole): Map<Role, Gain> => {
  const gains = new Map<Role, Gain>();
  const gainOf = (role: Role): Gain => {
    const gain = gains.get(role) ?? { everywhere: 0n, inChannels: new Map() };
    gains.set(role, gain);
    return gain;
  };
  for (const action of actions) {
    if (action.do === 'editRole' && 'backup' in action.role && action.changes.permissions) {
      const role = find(action.role.backup);
      const gained = role ? gainedBits(action.changes.permissions, role) : 0n;
      if (role && gained !== 0n) gainOf(role).everywhere |= gained;
    }
    for (const { role, channelId, name, bits } of channelGains(scene, action, find)) {
      const { inChannels } = gainOf(role);
      inChannels.set(channelId, { name, bits: bits | (inChannels.get(channelId)?.bits ?? 0n) });
    }
  }
  return gains;
};

/** Who is an administrator already gains nothing. */
const gainedBits = (granted: string, role: Role): bigint => {
  const has = BigInt(role.permissions);
  if (includes(has, permission.administrator)) return 0n;
  return BigInt(granted) & dangerous & ~has;
};

/** What a channel allows counts where neither the role has it anyway nor the same channel allows it now. */
const channelGains = (scene: Scene, action: Action, find: FindRole) => {
  const target = channelOf(scene, action);
  if (!target) return [];
  const before = channelBefore(scene, target)?.overwrites ?? [];
  return target.overwrites.flatMap((overwrite) => {
    const role = overwrite.kind === 'role' ? find(overwrite.id) : undefined;
    if (!role) return [];
    const had = before.find(({ id, kind }) => kind === 'role' && id === role.id)?.allow ?? '0';
    const bits = gainedBits(overwrite.allow, role) & ~BigInt(had);
    return bits === 0n ? [] : [{ role, bits, channelId: target.channelId, name: target.name }];
  });
};

/** A channel has another id since it was restored: then its name tells, where only one has it. */
const channelBefore = (
  { present }: Scene,
  target: { channelId: string; name: string },
): Channel | undefined => {
  const namesakes = present.channels.filter(({ name }) => name === target.name);
  return (
    present.channels.find(({ id }) => id === target.channelId) ??
    (namesakes.length === 1 ? namesakes[0] : undefined)
  );
};

/** A shield of a channel that is here only closes it. */
const channelOf = (
  { wantedChannels }: Scene,
  action: Action,
): { channelId: string; name: string; overwrites: Overwrite[] } | undefined => {
  if (action.do === 'createChannel') {
    return { channelId: action.oldId, name: action.wish.name, overwrites: action.wish.overwrites };
  }
  if (action.do !== 'setOverwrites' || !('backup' in action.channel)) return undefined;
  const channelId = action.channel.backup;
  const name = wantedChannels.find(({ id }) => id === channelId)?.name ?? channelId;
  return { channelId, name, overwrites: action.overwrites };
};

const sentencesFor = (scene: Scene, role: Role, { everywhere, inChannels }: Gain): string[] => {
  const who = role.id === scene.present.guildId ? '@everyone' : `Role ${role.name}`;
  const tell = (where: string, names: string) =>
    `${who} gains dangerous permissions${where}: ${names}.`;
  const alike = Map.groupBy(
    [...inChannels.values()].filter(({ bits }) => (bits & ~everywhere) !== 0n),
    ({ bits }) => nameDangerous(bits & ~everywhere).join(', '),
  );
  return [
    ...(everywhere === 0n ? [] : [tell('', nameDangerous(everywhere).join(', '))]),
    ...[...alike].map(([names, channels]) => tell(` in ${listChannels(channels)}`, names)),
  ];
};

const listChannels = (channels: { name: string }[]): string => {
  const named = channels.slice(0, channelsNamed).map(({ name }) => `#${name}`);
  const more = channels.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
};
