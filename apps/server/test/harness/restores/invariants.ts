import { restoreStages } from '@holdfast/contract';
import type { IdMap } from '../../../src/features/restores/plan/id-map.ts';
import type { GuildState, RestorePlan, Step } from '../../../src/features/restores/plan/step.ts';
import { isVisibleToEveryone } from '../../../src/features/restores/plan/visibility.ts';
import type { Channel, Role } from '../../../src/platform/guild.ts';
import { includes, neverMatchedByName, permission } from '../../../src/platform/permissions.ts';

/** Throws if a guild breaks an invariant after a step of a restore. */
export const watchInvariants = (
  backup: GuildState,
  before: GuildState,
  plan: RestorePlan,
  now: GuildState,
  { areChannelsRepaired = false } = {},
) => {
  const hiddenBefore = new Set(hiddenChannels(before).map(({ id }) => id));
  const hiddenInBackup = hiddenChannels(backup);
  const idsBefore = new Set(before.channels.map(({ id }) => id));
  const namesakes = findNamesakes(before, plan);
  const openedIds = areChannelsRepaired ? findOpened(backup, plan) : new Set<string>();
  let hadChannels = before.channels.length > 0;
  return (idMap: IdMap, step: Pick<Step, 'action' | 'stage'>) => {
    const fail = (what: string) => {
      throw new Error(`${what} after ${JSON.stringify(step.action)}`);
    };
    const hiddenNow = new Set(hiddenChannels(now));
    const shutIds = new Set(hiddenInBackup.flatMap(({ id }) => idMap.channels[id] ?? []));
    const isRevealed = restoreStages.indexOf(step.stage) >= restoreStages.indexOf('reveal');
    // Administrators see every channel.
    const canHide = !includes(everyonePermissions(now), permission.administrator);
    for (const channel of now.channels) {
      const { id, name } = channel;
      if (hiddenNow.has(channel)) continue;
      const isMadePrivate = shutIds.has(id) && !idsBefore.has(id);
      if ((hiddenBefore.has(id) && !openedIds.has(id)) || isMadePrivate) fail(`#${name} is open`);
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

const everyonePermissions = ({ roles, guildId }: GuildState): bigint =>
  BigInt(roles.find(({ id }) => id === guildId)?.permissions ?? 0);

const hiddenChannels = (guild: GuildState): Channel[] => {
  const permissions = everyonePermissions(guild);
  return guild.channels.filter(
    ({ overwrites }) => !isVisibleToEveryone(permissions, overwrites, guild.guildId),
  );
};

/** Channels that are repaired and that the backup shows to everyone. */
const findOpened = (backup: GuildState, { idMap }: RestorePlan): Set<string> => {
  const hidden = new Set(hiddenChannels(backup).map(({ id }) => id));
  const shown = Object.entries(idMap.channels).filter(([oldId]) => !hidden.has(oldId));
  return new Set(shown.map(([, id]) => id));
};

/** Roles that match the backup's only by name, and that were no administrators before. */
const findNamesakes = (before: GuildState, { idMap }: RestorePlan): Role[] => {
  const roles = new Map(before.roles.map((role) => [role.id, role]));
  return Object.entries(idMap.roles).flatMap(([oldId, id]) => {
    const role = roles.get(id);
    if (!role || oldId === id || role.isManaged || id === before.guildId) return [];
    return includes(BigInt(role.permissions), permission.administrator) ? [] : [role];
  });
};

/** `shut` are new channels that are private. */
const hasGained = (was: Role, now: GuildState, shut: Channel[]): boolean => {
  const is = now.roles.find(({ id }) => id === was.id);
  const gained = BigInt(is?.permissions ?? 0) & neverMatchedByName & ~BigInt(was.permissions);
  const isLetIn = shut.some(({ overwrites }) =>
    overwrites.some(
      ({ id, allow }) => id === was.id && includes(BigInt(allow), permission.viewChannel),
    ),
  );
  return gained !== 0n || isLetIn;
};
