import type { PlatformUser } from './identity-types.ts';
import { sha256Hex } from './oauth-snowflakes.ts';

/** Whom the authorize page offers before anybody else was set. */
const firstNames: [id: string, name: string][] = [
  ['118264931620716544', 'Amber Otter'],
  ['224716394085220352', 'Quiet Heron'],
  ['341870962553028608', 'Copper Fox'],
  ['467193825406119936', 'Silver Wren'],
  ['589034176280641536', 'Mossy Badger'],
  ['702458913367556096', 'Cobalt Hare'],
];

const colours =
  'Amber Ashen Azure Birch Cedar Cobalt Copper Coral Dusky Fern Golden Hazel Indigo Ivory Jade Lilac Maple Mossy Ochre Pearl Quiet Russet Silver Violet'.split(
    ' ',
  );
const animals =
  'Badger Beaver Bison Crane Dove Falcon Finch Fox Gecko Hare Heron Ibis Koala Lark Lynx Marten Newt Otter Owl Puffin Raven Seal Stoat Wren'.split(
    ' ',
  );

/** The user behind an id nobody has set: always the same, so that it need not be kept. */
export const pretendUserOf = (id: string): PlatformUser => {
  const hash = sha256Hex(id);
  const pick = (list: string[], from: number): string =>
    list[Number.parseInt(hash.slice(from, from + 6), 16) % list.length] ?? '';
  const name = `${pick(colours, 0)} ${pick(animals, 6)}`;
  const suffix = Number.parseInt(hash.slice(12, 18), 16) % 10_000;
  // One in four has never uploaded an avatar, as clients must expect.
  const avatar = Number.parseInt(hash.slice(18, 20), 16) % 4 === 0 ? null : hash.slice(-32);
  return userNamed(id, name, `${usernameOf(name)}_${suffix}`, avatar);
};

export const firstUsers = (): PlatformUser[] =>
  firstNames.map(([id, name]) => userNamed(id, name, usernameOf(name), sha256Hex(id).slice(-32)));

/** Whom applications belong to: the platform's answers name an owner. */
export const ownerId = '118264931620716544';

const usernameOf = (name: string): string => name.toLowerCase().replace(' ', '.');

const userNamed = (
  id: string,
  globalName: string,
  username: string,
  avatar: string | null,
): PlatformUser => ({
  id,
  username,
  globalName,
  avatar,
  isBot: false,
  atGuildCap: false,
  isUnknown: false,
  tokenState: 'valid',
});
