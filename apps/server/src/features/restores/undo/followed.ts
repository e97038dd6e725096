import { giveWay } from '../../../kernel/turns.ts';
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
export const withFollowed = async (acts: readonly TimedAct[], seen: Seen): Promise<Act[]> => {
  const { followed, hasStayed } = await followAll(acts, seen);
  // The platform may do otherwise than its documentation says.
  if (hasStayed && !followed.some(({ isSeen }) => isSeen)) return [...acts];
  const byAct = Map.groupBy(followed, ({ serial }) => serial);
  return acts.flatMap((act, serial) => [act, ...(byAct.get(serial) ?? []).map(actOf)]);
};

const actOf = ({ act, channelId, side, before, after, isSeen }: Followed): Act => ({
  ...act,
  targetId: channelId,
  changes: [{ key: side, before, after }],
  followed: isSeen ? 'seen' : 'supposed',
});

/** A change of what an overwrite of a category allows, or denies. */
type Link = ReturnType<typeof overwriteSides>[number] & {
  serial: number;
  /** On the category. */
  act: Act;
  changed: bigint;
};
type Followed = Link & { channelId: string; isSeen: boolean };

const followAll = async (acts: readonly TimedAct[], seen: Seen) => {
  const channels = await channelsAtFirst(acts, seen);
  const stays = staysOf(acts, seen);
  const childrenOf = createChildrenOf(stays);
  const { link, tell, tellAll, end } = createChains(seen);
  const change = (known: KnownChannel, act: TimedAct, serial: number) => {
    const children = childrenOf(known.id, act.at.getTime()).flatMap((id) => {
      const child = channels.get(id);
      return child ? { child, isLike: isLike(child, known) } : [];
    });
    // Entries of one call are apart, and what is like the category between them need not be so.
    const isFirst = acts[serial - 1]?.targetId !== known.id;
    for (const side of overwriteSides(act)) {
      tell(known, side.field, side.before);
      const changed = BigInt(side.before) ^ BigInt(side.after);
      const one = { ...side, serial, act, changed };
      for (const { child, isLike } of children) {
        const isSure = isFirst && stays.get(child.id)?.length === 1;
        link(child, one, { isLike, isSure });
      }
      writeBits(known, side.field, side.after);
    }
  };
  for (const [serial, act] of acts.entries()) {
    await giveWay();
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
    await giveWay();
    const known = channels.get(id);
    if (known) tellAll(known, overwrites);
  }
  return end;
};

const isLike = (one: KnownChannel, other: KnownChannel): boolean =>
  !one.isWhole || !other.isWhole || one.sum === other.sum;

/** What was done to categories since a channel was told of. */
type Chain = {
  /** While it had the same overwrites as the category, and else. */
  like: Link[];
  unlike: Link[];
  /** Whether it is known what it had before the first that it was like. */
  isKnown: boolean;
  /** Whether it followed that one for sure, if the platform lets channels follow. */
  isSure: boolean;
};

const createChains = ({ current, hasGap }: Seen) => {
  const roles = new Set(current.roles.map(({ id }) => id));
  const chains = new Map<KnownChannel, Map<string, Chain>>();
  const end = { followed: [] as Followed[], hasStayed: false };
  const accept = ({ id: channelId }: KnownChannel, links: readonly Link[], isSeen: boolean) => {
    for (const one of lastingOf(links)) end.followed.push({ ...one, channelId, isSeen });
  };
  const link = (child: KnownChannel, one: Link, is: { isLike: boolean; isSure: boolean }) => {
    const { field, before, after } = one;
    const ofChild = chains.get(child) ?? new Map<string, Chain>();
    const chain = ofChild.get(field) ?? { like: [], unlike: [], isKnown: false, isSure: false };
    chains.set(child, ofChild.set(field, chain));
    const { like, unlike } = chain;
    const isKnown = bitsIn(child, field) === before;
    if (!is.isLike) {
      if (isKnown || unlike.at(-1)?.after === before) unlike.push(one);
      return;
    }
    if (like.length === 0) Object.assign(chain, { isKnown, isSure: isKnown && is.isSure });
    like.push(one);
    writeBits(child, field, after);
  };
  const tell = (known: KnownChannel, field: string, told: string | undefined) => {
    const chain = chains.get(known)?.get(field);
    chains.get(known)?.delete(field);
    if (told !== undefined) writeBits(known, field, told);
    if (!chain) return;
    const { like, unlike, isKnown, isSure } = chain;
    if (told === undefined) return accept(known, like, false);
    const isReached = ({ after }: Link) => after === told;
    const [first] = like;
    const followed = like.slice(0, like.findLastIndex(isReached) + 1);
    accept(known, followed, isKnown && !hasGap && told !== first?.before);
    if (followed.length > 0) return;
    end.hasStayed ||= isSure && !hasGap && told === first?.before;
    // What people who left had in it is gone, and nothing tells of it: it may have been like a category.
    const last = unlike.findLast(isReached);
    const alike = unlike.filter(
      ({ act, serial }) => last && act.targetId === last.act.targetId && serial <= last.serial,
    );
    if (alike[0]?.before !== told) accept(known, alike, false);
  };
  const tellAll = (known: KnownChannel, overwrites: readonly Overwrite[] | undefined) => {
    const told = fieldsIn(overwrites);
    for (const field of chains.get(known)?.keys() ?? []) {
      const [kind, id = ''] = field.split('.');
      // What a role or a person had in the channel goes with them, and nothing tells of it.
      const isThere = overwrites !== undefined && kind === 'role' && roles.has(id);
      tell(known, field, told.get(field) ?? (isThere ? '0' : undefined));
    }
  };
  return { link, tell, tellAll, end };
};

/**
 * There can be thousands of them. Of those that attackers did in a row only the first value and the last count,
 * and what others have set since nothing before it.
 */
const lastingOf = (links: readonly Link[]): Link[] => {
  const lasting: Link[] = [];
  let decided = 0n;
  for (const one of links.toReversed()) {
    if ((one.changed & ~decided) === 0n) continue;
    if (!isOfAttackers(one)) decided |= one.changed;
    const later = lasting.at(-1);
    const isOneRun = later && isOfAttackers(later) && isOfAttackers(one);
    if (isOneRun && later.act.isAttack === one.act.isAttack) {
      lasting.splice(-1, 1, { ...later, before: one.before });
    } else {
      lasting.push(one);
    }
  }
  return lasting.toReversed();
};

const isOfAttackers = ({ act }: Link): boolean => act.isAttack || act.isOtherAttack === true;
