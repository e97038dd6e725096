import type { Channel, Overwrite } from '../../../platform/guild.ts';
import { neverMatchedByName, permission, without } from '../../../platform/permissions.ts';
import { isConvertible } from './channel-kinds.ts';
import type { RoleMatch } from './match-roles.ts';
import { isVisibleToEveryone } from './visibility.ts';

type Ids = Record<string, string>;

type MatchInput = {
  savedChannels: Channel[];
  currentChannels: Channel[];
  /** By which ids of the target the backup's channels may be known; the first that exists counts. */
  knownIds: Ids[];
  /** Off where every channel is made anew. */
  mayMatchByName: boolean;
  roleMatch: RoleMatch;
  backupGuildId: string;
  guildId: string;
  everyonePermissions: bigint;
};

/** From the id of a channel in the backup to the channel of the target that it is. */
export type ChannelMatch = Map<string, Channel>;

/**
 * Matches by id, the rest by type, name and parent where there is exactly one of each on both sides. A
 * channel that is found by its name has another history: nobody may get into it, or get power in it, by
 * the match.
 */
export const matchChannels = (input: MatchInput): ChannelMatch => {
  const match: ChannelMatch = new Map();
  const free = new Map(input.currentChannels.map((channel) => [channel.id, channel]));
  const pair = (saved: Channel, found: Channel | undefined) => {
    if (!found || match.has(saved.id)) return;
    match.set(saved.id, found);
    free.delete(found.id);
  };
  for (const ids of input.knownIds) {
    for (const saved of input.savedChannels) {
      const found = free.get(ids[saved.id] ?? '');
      pair(saved, found && isSameChannel(saved, found) ? found : undefined);
    }
  }
  if (!input.mayMatchByName) return match;
  // Categories first: they are the parents of the others.
  for (const areCategories of [true, false]) {
    const isOfPass = ({ kind }: Channel) => (kind === 'category') === areCategories;
    const saved = input.savedChannels.filter(isOfPass);
    const current = input.currentChannels.filter(isOfPass);
    for (const [one, found] of pairByPlace(saved, current, match)) {
      if (free.has(found.id) && !match.has(one.id) && givesNothing(input, one, found)) {
        pair(one, found);
      }
    }
  }
  return match;
};

/** A text channel can become an announcement channel and back; any other kind is another channel. */
const isSameChannel = (saved: Channel, found: Channel): boolean =>
  saved.kind === found.kind || (isConvertible(saved) && isConvertible(found));

const pairByPlace = (
  saved: Channel[],
  current: Channel[],
  match: ChannelMatch,
): [Channel, Channel][] => {
  const placeOf = ({ kind, name }: Channel, parentId: string | null) =>
    JSON.stringify([kind, name, parentId]);
  const parentOf = ({ parentId }: Channel) =>
    parentId === null ? null : (match.get(parentId)?.id ?? `missing ${parentId}`);
  const savedAt = Map.groupBy(saved, (one) => placeOf(one, parentOf(one)));
  const currentAt = Map.groupBy(current, (one) => placeOf(one, one.parentId));
  return [...savedAt].flatMap(([place, [one, ...otherSaved]]): [Channel, Channel][] => {
    const [found, ...otherFound] = currentAt.get(place) ?? [];
    return one && found && otherSaved.length + otherFound.length === 0 ? [[one, found]] : [];
  });
};

const guarded = neverMatchedByName | permission.viewChannel;

/** Whether the backup's overwrites let nobody see or control the channel who cannot do so now. */
const givesNothing = (input: MatchInput, saved: Channel, found: Channel): boolean => {
  const now = new Map(found.overwrites.map((overwrite) => [keyOf(overwrite), overwrite]));
  const isOpen = isVisibleToEveryone(input.everyonePermissions, found.overwrites, input.guildId);
  const wanted = new Map(
    saved.overwrites.map((overwrite) => [keyOf(overwrite, liveIdOf(input, overwrite)), overwrite]),
  );
  return [...new Set([...now.keys(), ...wanted.keys()])].every((key) => {
    const [is, will] = [bitsOf(now.get(key)), bitsOf(wanted.get(key))];
    const allowed = without(will.allow, is.allow);
    const counted = isOpen ? without(allowed, permission.viewChannel) : allowed;
    return ((counted | without(is.deny, will.deny)) & guarded) === 0n;
  });
};

const liveIdOf = (input: MatchInput, { id, kind }: Overwrite): string => {
  if (kind === 'member') return id;
  if (id === input.backupGuildId) return input.guildId;
  return input.roleMatch.get(id)?.id ?? `new ${id}`;
};

const keyOf = ({ kind, id }: Overwrite, liveId = id): string => `${kind} ${liveId}`;

const bitsOf = (overwrite: Overwrite | undefined) => ({
  allow: BigInt(overwrite?.allow ?? 0),
  deny: BigInt(overwrite?.deny ?? 0),
});
