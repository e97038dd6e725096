import { isDeepStrictEqual } from 'node:util';
import type { Channel, Role } from '../../../platform/guild.ts';
import { sameOverwrites } from '../../../platform/permissions.ts';
import { type Action, type ActionOf, isPartAction } from '../plan/action.ts';
import { type IdMap, resolveChannel } from '../plan/id-map.ts';
import type { GuildState } from '../plan/step.ts';
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
 * Finds what a create may have made whose outcome is unknown, because repeating it would make a second
 * one: everything new that no other step claims and that is exactly what the step asks for. Channels must
 * also have the same overwrites: of two channels of one name, one may be private. Who made it is another question
 * (`own-roles.ts`).
 */
export const findCreated = (action: Action, evidence: Evidence): string[] => {
  const { current, idsBefore, claimedIds, idMap } = evidence;
  const isNew = ({ id }: { id: string }) => !idsBefore.has(id) && !claimedIds.has(id);
  if (isPartAction(action)) {
    const found = current.parts && findCreatedPart(action, current.parts, isNew, idMap);
    return found === undefined ? [] : [found];
  }
  const idsOfNew = <Thing extends { id: string }>(
    things: Thing[],
    isSame: (one: Thing) => boolean,
  ) => things.filter((one) => isNew(one) && isSame(one)).map(({ id }) => id);
  switch (action.do) {
    case 'createRole':
      return idsOfNew(current.roles, (role) => isSameRole(action, role));
    case 'createChannel':
      return idsOfNew(current.channels, (channel) => isSameChannel(action, channel, idMap));
    case 'createEmoji':
      return idsOfNew(
        current.emojis,
        ({ name, isAnimated }) => name === action.name && isAnimated === action.isAnimated,
      );
    case 'createSticker':
      return idsOfNew(
        current.stickers,
        ({ name, tags }) => name === action.wish.name && tags === action.wish.tags,
      );
    default:
      return [];
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
