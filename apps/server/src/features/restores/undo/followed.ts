import type { Overwrite } from '../../../platform/guild.ts';
import { type Act, channelTold, overwriteSides } from './atoms.ts';
import {
  bitsIn,
  channelsAtFirst,
  createChildrenOf,
  fieldsIn,
  forget,
  type KnownChannel,
  knownChannel,
  type Seen,
  staysOf,
  type TimedAct,
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
export const withFollowed = (acts: readonly TimedAct[], seen: Seen): Act[] => {
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
  categoryId: string;
  /** Whether the channel had the same overwrites as the category. */
  isLike: boolean;
  /** Whether it is known to have had the same in this. */
  isKnown: boolean;
  /** Whether it follows for sure, where the platform lets channels follow. */
  isSure: boolean;
};
type Followed = Link & { isSeen: boolean };

const followAll = (acts: readonly TimedAct[], seen: Seen) => {
  const channels = channelsAtFirst(acts, seen);
  const stays = staysOf(acts, seen);
  const childrenOf = createChildrenOf(stays);
  const { link, tell, tellAll, end } = createChains(seen);
  const change = (known: KnownChannel, act: TimedAct, serial: number) => {
    const ids = childrenOf(known.id, act.at.getTime());
    const children = ids.flatMap((id) => channels.get(id) ?? []);
    const like = new Set(children.filter((child) => isLike(child, known)));
    // Entries of one call are apart, and what is like the category between them need not be so.
    const isFirst = acts[serial - 1]?.targetId !== known.id;
    for (const side of overwriteSides(act)) {
      tell(known, side.field, side.before);
      for (const child of children) {
        const isSure = isFirst && stays.get(child.id)?.length === 1;
        link(child, { ...side, serial, categoryId: known.id, isLike: like.has(child), isSure });
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

const isLike = (one: KnownChannel, other: KnownChannel): boolean =>
  !one.isWhole || !other.isWhole || one.sum === other.sum;

/** What was done to categories, by channel and field, until the channel is told of. */
const createChains = ({ current, hasGap }: Seen) => {
  const roles = new Set(current.roles.map(({ id }) => id));
  const chains = new Map<string, Map<string, Link[]>>();
  const end = { followed: [] as Followed[], hasStayed: false };
  const accept = (links: readonly Link[], isSeen: boolean) => {
    for (const one of links) end.followed.push({ ...one, isSeen });
  };
  const link = (child: KnownChannel, change: Omit<Link, 'channelId' | 'isKnown'>) => {
    const { field, isLike, before, after, isSure } = change;
    const ofChild = chains.get(child.id) ?? new Map<string, Link[]>();
    const links = ofChild.get(field) ?? [];
    const isKnown = bitsIn(child, field) === before;
    if (links.length === 0 && !isLike && !isKnown) return;
    links.push({ ...change, channelId: child.id, isKnown, isSure: isSure && isLike && isKnown });
    chains.set(child.id, ofChild.set(field, links));
    if (isLike) writeBits(child, field, after);
  };
  const tell = (known: KnownChannel, field: string, told: string | undefined) => {
    const links = chains.get(known.id)?.get(field) ?? [];
    chains.get(known.id)?.delete(field);
    if (told !== undefined) writeBits(known, field, told);
    const leadsThere = ({ after }: Link) => told === undefined || after === told;
    const like = links.filter((one) => one.isLike);
    const [first] = like;
    const count = like.findLastIndex(leadsThere) + 1;
    const isSeen = told !== undefined && told !== first?.before && first?.isKnown && !hasGap;
    accept(like.slice(0, count), isSeen === true);
    if (count > 0 || told === undefined) return;
    end.hasStayed ||= first?.isSure === true && told === first.before && !hasGap;
    accept(unlikeLinks(links, told), false);
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

/**
 * What people who left had in a channel is gone, and nothing tells of it. So a channel that changed as a category
 * did may have been like it, though it does not seem so.
 */
const unlikeLinks = (links: readonly Link[], told: string): Link[] => {
  const last = links.findLast(({ after }) => after === told);
  const some = links.filter(
    ({ categoryId, serial }) => last && categoryId === last.categoryId && serial <= last.serial,
  );
  return some[0]?.isKnown && some[0].before !== told ? some : [];
};
