import type { Channel, Role } from '../../../platform/guild.ts';
import {
  compareRank,
  includes,
  neverMatchedByName,
  permission,
  without,
} from '../../../platform/permissions.ts';
import { isVisibleToEveryone } from './visibility.ts';

type MatchInput = {
  savedRoles: Role[];
  savedChannels: Channel[];
  backupGuildId: string;
  currentRoles: Role[];
  guildId: string;
  /** Ids that earlier restores gave. */
  earlierIds: Record<string, string>;
  /** Off where roles are not restored: a role of the same name would keep whatever permissions it has. */
  mayMatchByName: boolean;
};

/** From the id of a role in the backup to the role of the target that it is. */
export type RoleMatch = Map<string, Role>;

/**
 * Matches by id, a bot's own role by its bot, that of boosters as such, the rest by name. Anyone can
 * create a role with any name and hold it, so matching by name alone never grants a dangerous permission or access to a
 * channel that is hidden from everyone.
 */
export const matchRoles = (input: MatchInput): RoleMatch => {
  const match: RoleMatch = new Map();
  const free = new Map(input.currentRoles.map((role) => [role.id, role]));
  const pair = (saved: Role, found: Role | undefined) => {
    if (!found) return;
    match.set(saved.id, found);
    free.delete(found.id);
  };
  const everyone = input.savedRoles.find(({ id }) => id === input.backupGuildId);
  if (everyone) pair(everyone, free.get(input.guildId));
  free.delete(input.guildId);
  const unmatched = () =>
    input.savedRoles.filter(({ id }) => !match.has(id) && id !== input.backupGuildId);
  for (const idOf of [(id: string) => id, (id: string) => input.earlierIds[id] ?? '']) {
    for (const saved of unmatched()) {
      const found = free.get(idOf(saved.id));
      pair(saved, found?.isManaged === saved.isManaged ? found : undefined);
    }
  }
  for (const saved of unmatched()) {
    const isSameBot = ({ botId }: Role) => botId !== null && botId === saved.botId;
    const isForBoosters = ({ isOfBoosters }: Role) => isOfBoosters && saved.isOfBoosters;
    pair(saved, [...free.values()].find(isSameBot) ?? [...free.values()].find(isForBoosters));
  }
  if (input.mayMatchByName) {
    // Several roles of one name are paired from the lowest up.
    for (const saved of unmatched().sort(compareRank))
      pair(saved, findNamesake(input, saved, free));
  }
  return match;
};

const findNamesake = (
  input: MatchInput,
  saved: Role,
  free: Map<string, Role>,
): Role | undefined => {
  if (saved.isManaged) return undefined;
  return [...free.values()]
    .filter(({ name, isManaged }) => name === saved.name && !isManaged)
    .sort(compareRank)
    .find((role) => grantsNothingDangerous(input, saved, role));
};

const grantsNothingDangerous = (input: MatchInput, saved: Role, namesake: Role): boolean => {
  const has = BigInt(namesake.permissions);
  if (includes(has, permission.administrator)) return true;
  const { permissions, opensHidden } = dangerousGrantsOf(input, saved);
  return !opensHidden && without(permissions, has) === 0n;
};

/** What a role of the backup gives its holders beyond what everyone has, anywhere in the guild. */
const dangerousGrantsOf = (
  { savedRoles, savedChannels, backupGuildId }: MatchInput,
  role: Role,
) => {
  const everyone = BigInt(savedRoles.find(({ id }) => id === backupGuildId)?.permissions ?? 0);
  const guarded = neverMatchedByName | without(permission.viewChannel, everyone);
  let permissions = BigInt(role.permissions) & guarded;
  let opensHidden = false;
  for (const { overwrites } of savedChannels) {
    const own = overwrites.find(({ id, kind }) => kind === 'role' && id === role.id);
    const allowed = BigInt(own?.allow ?? 0);
    permissions |= allowed & neverMatchedByName;
    opensHidden ||=
      includes(allowed, permission.viewChannel) &&
      !isVisibleToEveryone(everyone, overwrites, backupGuildId);
  }
  return { permissions, opensHidden };
};
