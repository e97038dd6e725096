import { isDeepStrictEqual } from 'node:util';
import type { Channel, Role } from '../../../platform/guild.ts';
import { type Action, type ActionOf, isPartAction } from '../plan/action.ts';
import { type IdMap, resolveChannel } from '../plan/id-map.ts';
import type { GuildState } from '../plan/step.ts';
import { sameOverwrites } from '../plan/visibility.ts';
import { findCreatedPart } from './find-created-part.ts';

type Evidence = {
  /** The target as it was just read. */
  current: GuildState;
  /** Ids of everything of these sorts that was there when the plan was made. */
  idsBefore: ReadonlySet<string>;
  /** Ids that other steps created. */
  claimedIds: ReadonlySet<string>;
  idMap: IdMap;
};

/**
 * Finds what a create made whose outcome is unknown, because repeating it would make a second one:
 * something new that no other step claims and that is exactly what the step asks for. Channels must
 * also have the same overwrites: of two channels of one name, one may be private.
 */
export const findCreated = (action: Action, evidence: Evidence): string | undefined => {
  const { current, idsBefore, claimedIds, idMap } = evidence;
  const isNew = ({ id }: { id: string }) => !idsBefore.has(id) && !claimedIds.has(id);
  if (isPartAction(action)) {
    return current.parts && findCreatedPart(action, current.parts, isNew, idMap);
  }
  switch (action.do) {
    case 'createRole':
      return current.roles.find((role) => isNew(role) && isSameRole(action, role))?.id;
    case 'createChannel':
      return current.channels.find((one) => isNew(one) && isSameChannel(action, one, idMap))?.id;
    case 'createEmoji':
      return current.emojis.find(
        (emoji) =>
          isNew(emoji) && emoji.name === action.name && emoji.isAnimated === action.isAnimated,
      )?.id;
    case 'createSticker':
      return current.stickers.find(
        (one) => isNew(one) && one.name === action.wish.name && one.tags === action.wish.tags,
      )?.id;
    default:
      return undefined;
  }
};

const isSameRole = ({ wish }: ActionOf<'createRole'>, role: Role): boolean =>
  role.name === wish.name &&
  isDeepStrictEqual(role.colors, wish.colors) &&
  role.isHoisted === wish.isHoisted &&
  role.isMentionable === wish.isMentionable &&
  BigInt(role.permissions) === 0n;

/** Channels of one name in one category may differ in nothing but these. */
const identifyingFields = [
  'name',
  'kind',
  'parentId',
  'topic',
  'isAgeRestricted',
  'slowModeSeconds',
  'userLimit',
] as const;

const isSameChannel = (
  { wish }: ActionOf<'createChannel'>,
  channel: Channel,
  map: IdMap,
): boolean => {
  const expected = resolveChannel(wish, map);
  return (
    identifyingFields.every((field) => channel[field] === expected[field]) &&
    sameOverwrites(channel.overwrites, expected.overwrites)
  );
};
