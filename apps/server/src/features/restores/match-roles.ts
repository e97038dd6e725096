import type { Channel, Role } from '../../platform/guild.ts';
import { includes, neverByName, permission, without } from '../../platform/permissions.ts';
import { byRank } from '../../platform/powers.ts';
import { isVisibleToEveryone } from './visibility.ts';

type Sides = {
  wanted: Role[];
  wantedChannels: Channel[];
  backupGuildId: string;
  present: Role[];
  guildId: string;
  /** Off where roles are not restored: a namesake's permissions would stay whatever they are. */
  mayMatchByName: boolean;
};

/** Which role of the target is which of the backup: from the id in the backup to the role now. */
export type RoleMatch = Map<string, Role>;

/**
 * By id; a bot's own role by its bot; the rest by name. Anyone may name a role as they like and hold
 * it, so a name alone never leads to power: neither a dangerous permission nor the sight of a channel
 * that is hidden from everyone.
 */
export const matchRoles = (sides: Sides): RoleMatch => {
  const match: RoleMatch = new Map();
  const free = new Map(sides.present.map((role) => [role.id, role]));
  const pair = (wanted: Role, found: Role | undefined) => {
    if (!found) return;
    match.set(wanted.id, found);
    free.delete(found.id);
  };
  const everyone = sides.wanted.find(({ id }) => id === sides.backupGuildId);
  if (everyone) pair(everyone, free.get(sides.guildId));
  free.delete(sides.guildId);
  const open = () => sides.wanted.filter(({ id }) => !match.has(id) && id !== sides.backupGuildId);
  for (const wanted of open()) {
    const found = free.get(wanted.id);
    pair(wanted, found?.isManaged === wanted.isManaged ? found : undefined);
  }
  for (const wanted of open()) pair(wanted, findByBot(wanted, free));
  if (sides.mayMatchByName) pairNamesakes(sides, open(), free, pair);
  return match;
};

const findByBot = (wanted: Role, free: Map<string, Role>): Role | undefined =>
  wanted.botId === null
    ? undefined
    : [...free.values()].find(({ botId }) => botId === wanted.botId);

/** Several of one name are paired from the lowest up. */
const pairNamesakes = (
  sides: Sides,
  open: Role[],
  free: Map<string, Role>,
  pair: (wanted: Role, found: Role | undefined) => void,
) => {
  for (const wanted of open.filter(({ isManaged }) => !isManaged).sort(byRank)) {
    const namesakes = [...free.values()].filter(
      ({ name, isManaged }) => name === wanted.name && !isManaged,
    );
    pair(
      wanted,
      namesakes.sort(byRank).find((role) => gainsNoPower(sides, wanted, role)),
    );
  }
};

const gainsNoPower = (sides: Sides, wanted: Role, namesake: Role): boolean => {
  const has = BigInt(namesake.permissions);
  if (includes(has, permission.administrator)) return true;
  const { power, opensHidden } = powerOf(sides, wanted);
  return !opensHidden && without(power, has) === 0n;
};

/** What a role of the backup gives its holders beyond what everyone has: anywhere in the server. */
const powerOf = ({ wanted, wantedChannels, backupGuildId }: Sides, role: Role) => {
  const everyone = BigInt(wanted.find(({ id }) => id === backupGuildId)?.permissions ?? 0);
  const guarded = neverByName | without(permission.viewChannel, everyone);
  let power = BigInt(role.permissions) & guarded;
  let opensHidden = false;
  for (const { overwrites } of wantedChannels) {
    const own = overwrites.find(({ id, kind }) => kind === 'role' && id === role.id);
    const allowed = BigInt(own?.allow ?? 0);
    power |= allowed & neverByName;
    opensHidden ||=
      includes(allowed, permission.viewChannel) &&
      !isVisibleToEveryone(everyone, overwrites, backupGuildId);
  }
  return { power, opensHidden };
};
