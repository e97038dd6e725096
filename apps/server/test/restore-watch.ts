import type { IdMap } from '../src/features/restores/id-map.ts';
import {
  type PresentGuild,
  type RestorePlan,
  type Step,
  stages,
} from '../src/features/restores/step.ts';
import { isVisibleToEveryone } from '../src/features/restores/visibility.ts';
import type { Channel, Role } from '../src/platform/guild.ts';
import { includes, neverByName, permission } from '../src/platform/permissions.ts';

/** What must hold of a server after every single step of a restore; throws where it does not. */
export const watchInvariants = (
  backup: PresentGuild,
  before: PresentGuild,
  plan: RestorePlan,
  now: PresentGuild,
) => {
  const hiddenBefore = new Set(hiddenChannels(before).map(({ id }) => id));
  const hiddenInBackup = hiddenChannels(backup);
  const idsBefore = new Set(before.channels.map(({ id }) => id));
  const namesakes = findNamesakes(before, plan);
  let hadChannels = before.channels.length > 0;
  return (idMap: IdMap, step: Pick<Step, 'action' | 'stage'>) => {
    const fail = (what: string) => {
      throw new Error(`${what} after ${JSON.stringify(step.action)}`);
    };
    const hiddenNow = new Set(hiddenChannels(now));
    const shutIds = new Set(hiddenInBackup.flatMap(({ id }) => idMap.channels[id] ?? []));
    const isRevealed = stages.indexOf(step.stage) >= stages.indexOf('reveal');
    // From administrators nothing can be hidden.
    const canHide = !includes(everyonePermissions(now), permission.administrator);
    for (const channel of now.channels) {
      const { id, name } = channel;
      if (hiddenNow.has(channel)) continue;
      if (hiddenBefore.has(id) || shutIds.has(id)) fail(`#${name} is open`);
      if (!isRevealed && canHide && !idsBefore.has(id)) fail(`#${name} is open before all stands`);
    }
    if (hadChannels && now.channels.length === 0) fail('The server is empty');
    hadChannels ||= now.channels.length > 0;
    if (now.channels.length > 500) fail('There are too many channels');
    if (now.roles.length > 250) fail('There are too many roles');
    const shut = now.channels.filter(({ id }) => shutIds.has(id));
    for (const role of namesakes) {
      if (hasGained(role, now, shut)) fail(`${role.name} gained power by its name`);
    }
  };
};

const everyonePermissions = ({ roles, guildId }: PresentGuild): bigint =>
  BigInt(roles.find(({ id }) => id === guildId)?.permissions ?? 0);

const hiddenChannels = (guild: PresentGuild): Channel[] => {
  const permissions = everyonePermissions(guild);
  return guild.channels.filter(
    ({ overwrites }) => !isVisibleToEveryone(permissions, overwrites, guild.guildId),
  );
};

/** Roles that are the backup's by name alone, and that were not all-powerful anyway. */
const findNamesakes = (before: PresentGuild, { idMap }: RestorePlan): Role[] => {
  const roles = new Map(before.roles.map((role) => [role.id, role]));
  return Object.entries(idMap.roles).flatMap(([oldId, id]) => {
    const role = roles.get(id);
    if (!role || oldId === id || role.isManaged || id === before.guildId) return [];
    return includes(BigInt(role.permissions), permission.administrator) ? [] : [role];
  });
};

/** `shut` are new channels that are private. */
const hasGained = (was: Role, now: PresentGuild, shut: Channel[]): boolean => {
  const is = now.roles.find(({ id }) => id === was.id);
  const gained = BigInt(is?.permissions ?? 0) & neverByName & ~BigInt(was.permissions);
  const isLetIn = shut.some(({ overwrites }) =>
    overwrites.some(
      ({ id, allow }) => id === was.id && includes(BigInt(allow), permission.viewChannel),
    ),
  );
  return gained !== 0n || isLetIn;
};
