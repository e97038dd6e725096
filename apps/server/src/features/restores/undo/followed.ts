import type { Overwrite } from '../../../platform/guild.ts';
import { type Act, channelTold, overwriteSides } from './atoms.ts';
import {
  channelsAtFirst,
  fieldsIn,
  forget,
  type KnownChannel,
  knownChannel,
  placesOf,
  type Seen,
  valueOf,
  writeBits,
} from './known-channels.ts';

/**
 * A channel that has the overwrites of its category follows it: the platform changes it alike, and the audit
 * log does not tell. So the acts are completed with the same act on each channel that followed.
 *
 * Which channels did is judged by what is told of them next: by an entry, or by the guild as it is. What is not
 * as following leaves it did not follow. Where it would be the same without, or where nothing is told, the
 * channel is only supposed to have followed.
 */
export const withFollowed = (acts: readonly Act[], seen: Seen): Act[] => {
  const { followed, hasStayed } = followAll(acts, seen);
  // The platform may do otherwise than its documentation says.
  if (hasStayed && !followed.some(({ isSeen }) => isSeen)) return [...acts];
  const byAct = Map.groupBy(followed, ({ serial }) => serial);
  return acts.flatMap((act, serial) => [
    act,
    ...(byAct.get(serial) ?? []).map((one) => actOf(act, one)),
  ]);
};

const actOf = (act: Act, { channelId, side, before, after, isSeen }: Followed): Act => ({
  ...act,
  targetId: channelId,
  changes: [{ key: side, before, after }],
  followed: isSeen ? 'seen' : 'supposed',
});

/** A change of what an overwrite of a category allows, or denies, and a channel that may have followed it. */
type Link = ReturnType<typeof overwriteSides>[number] & {
  serial: number;
  channelId: string;
  /** Whether the channel had the same overwrites as the category. */
  isLike: boolean;
  /** Whether it is known to have had the same in this. */
  isKnown: boolean;
  /** Whether it follows for sure, where the platform lets channels follow. */
  isSure: boolean;
};
type Followed = Link & { isSeen: boolean };

const followAll = (acts: readonly Act[], seen: Seen) => {
  const channels = channelsAtFirst(acts, seen);
  const places = placesOf(acts, seen);
  const childrenOf = childrenBy(places);
  const { link, tell, tellAll, end } = createChains(seen);
  const change = (known: KnownChannel, act: Act, serial: number) => {
    const children = childrenOf(known.id).flatMap((id) => channels.get(id) ?? []);
    const like = new Set(children.filter((child) => isLike(child, known)));
    // Entries of one call are apart, and what is like the category between them need not be so.
    const isFirst = acts[serial - 1]?.targetId !== known.id;
    for (const side of overwriteSides(act)) {
      tell(known, side.field, side.before);
      for (const child of children) {
        const isSure = isFirst && places.get(child.id)?.size === 1;
        link(child, { ...side, serial, isLike: like.has(child), isSure });
      }
      writeBits(known, side.field, side.after);
    }
  };
  for (const [serial, act] of acts.entries()) {
    const { action, targetId: id } = act;
    if (id === null) continue;
    const known = channels.get(id);
    if (action === 'channelCreated') {
      channels.set(id, knownChannel(id, channelTold(act)?.overwrites));
    } else if (action === 'channelDeleted') {
      if (known) tellAll(known, channelTold(act)?.overwrites);
      channels.delete(id);
    } else if (action === 'roleDeleted') {
      forget(channels.values(), 'role', id);
    } else if (action === 'memberKicked' || action === 'memberBanned') {
      forget(channels.values(), 'member', id);
    } else if (known) {
      change(known, act, serial);
    }
  }
  for (const { id, overwrites } of seen.current.channels) {
    const known = channels.get(id);
    if (known) tellAll(known, overwrites);
  }
  return end;
};

const childrenBy = (places: ReturnType<typeof placesOf>) => {
  const children = new Map<string, string[]>();
  for (const [id, categories] of places) {
    for (const category of categories) {
      if (category !== null) children.set(category, [...(children.get(category) ?? []), id]);
    }
  }
  return (categoryId: string) => children.get(categoryId) ?? [];
};

const isLike = (one: KnownChannel, other: KnownChannel): boolean =>
  !one.isWhole || !other.isWhole || one.sum === other.sum;

/** What was done to categories, by channel and field, until the channel is told of. */
const createChains = ({ current, hasGap }: Seen) => {
  const roles = new Set(current.roles.map(({ id }) => id));
  const chains = new Map<string, Map<string, Link[]>>();
  const end = { followed: [] as Followed[], hasStayed: false };
  const link = (child: KnownChannel, change: Omit<Link, 'channelId' | 'isKnown'>) => {
    const { field, isLike, before, after, isSure } = change;
    const ofChild = chains.get(child.id) ?? new Map<string, Link[]>();
    const links = ofChild.get(field) ?? [];
    const isKnown = valueOf(child, field) === before;
    if (links.length === 0 && !isLike && !isKnown) return;
    links.push({ ...change, channelId: child.id, isKnown, isSure: isSure && isLike && isKnown });
    chains.set(child.id, ofChild.set(field, links));
    if (isLike) writeBits(child, field, after);
  };
  const tell = (known: KnownChannel, field: string, told: string | undefined) => {
    const links = chains.get(known.id)?.get(field) ?? [];
    chains.get(known.id)?.delete(field);
    if (told !== undefined) writeBits(known, field, told);
    const [first] = links;
    if (!first) return;
    const count =
      told === undefined ? links.length : links.findLastIndex(({ after }) => after === told) + 1;
    const isSeen = !hasGap && first.isKnown && told !== undefined && told !== first.before;
    const some = links.slice(0, count).filter((one) => isSeen || one.isLike);
    for (const one of some) end.followed.push({ ...one, isSeen });
    end.hasStayed ||= !hasGap && first.isSure && count === 0 && told === first.before;
  };
  const tellAll = (known: KnownChannel, overwrites: readonly Overwrite[] | undefined) => {
    const told = fieldsIn(overwrites);
    for (const field of chains.get(known.id)?.keys() ?? []) {
      const [kind, id = ''] = field.split('.');
      // What a role or a person had in the channel goes with them, and nothing tells of it.
      const isThere = overwrites !== undefined && kind === 'role' && roles.has(id);
      tell(known, field, told.get(field) ?? (isThere ? '0' : undefined));
    }
  };
  return { link, tell, tellAll, end };
};
