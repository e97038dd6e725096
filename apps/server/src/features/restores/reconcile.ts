import { isDeepStrictEqual } from 'node:util';
import type { Channel, Role } from '../../platform/guild.ts';
import type { Action, ActionOf } from './action.ts';
import type { IdMap } from './id-map.ts';
import { resolveChannel } from './resolve.ts';
import type { PresentGuild } from './step.ts';
import { sameOverwrites } from './visibility.ts';

type Evidence = {
  /** The target as it was just read. */
  present: PresentGuild;
  /** Ids of all roles, channels, emojis and stickers that were there when the plan was made. */
  idsBefore: ReadonlySet<string>;
  /** Ids that other steps made. */
  claimedIds: ReadonlySet<string>;
  idMap: IdMap;
};

/**
 * Creating twice makes two. Where a create was begun and nobody knows how it ended, this finds what it
 * made: something new that no other step claims and that is exactly what the step asks for. Channels
 * must also be closed in the same way: of two namesakes one may be private.
 */
export const findCreated = (action: Action, evidence: Evidence): string | undefined => {
  const { present, idsBefore, claimedIds, idMap } = evidence;
  const isNew = ({ id }: { id: string }) => !idsBefore.has(id) && !claimedIds.has(id);
  switch (action.do) {
    case 'createRole':
      return present.roles.find((role) => isNew(role) && isWishedRole(action, role))?.id;
    case 'createChannel':
      return present.channels.find((one) => isNew(one) && isWishedChannel(action, one, idMap))?.id;
    case 'createEmoji':
      return present.emojis.find(
        (emoji) =>
          isNew(emoji) && emoji.name === action.name && emoji.isAnimated === action.isAnimated,
      )?.id;
    case 'createSticker':
      return present.stickers.find(
        (one) => isNew(one) && one.name === action.wish.name && one.tags === action.wish.tags,
      )?.id;
    default:
      return undefined;
  }
};

const isWishedRole = ({ wish }: ActionOf<'createRole'>, role: Role): boolean =>
  role.name === wish.name &&
  isDeepStrictEqual(role.colors, wish.colors) &&
  role.isHoisted === wish.isHoisted &&
  role.isMentionable === wish.isMentionable &&
  BigInt(role.permissions) === 0n;

/** Namesakes in one category may differ in nothing but these. */
const identifying = [
  'name',
  'kind',
  'parentId',
  'topic',
  'isAgeRestricted',
  'slowModeSeconds',
  'userLimit',
] as const;

const isWishedChannel = (
  { wish }: ActionOf<'createChannel'>,
  channel: Channel,
  map: IdMap,
): boolean => {
  const wished = resolveChannel(wish, map);
  return (
    identifying.every((field) => channel[field] === wished[field]) &&
    sameOverwrites(channel.overwrites, wished.overwrites)
  );
};
