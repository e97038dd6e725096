import { z } from 'zod';
import type { PlatformUser } from '../platform.ts';
import { sha256Hex } from '../snowflakes.ts';

/** The users that the authorize page offers at the start. */
const seedNames: [id: string, name: string][] = [
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

/** The hash of a picture; null: none of their own. */
export const avatarField = z
  .string()
  .regex(/^(a_)?[0-9a-f]{32}$/)
  .nullable();

/** The user of an id that was not set: always the same, so it need not be stored. */
export const generateUser = (id: string): PlatformUser => {
  const hash = sha256Hex(id);
  const pick = (list: string[], from: number): string =>
    list[Number.parseInt(hash.slice(from, from + 6), 16) % list.length] ?? '';
  const name = `${pick(colours, 0)} ${pick(animals, 6)}`;
  const suffix = Number.parseInt(hash.slice(12, 18), 16) % 10_000;
  // One in four has no avatar, as clients must expect.
  const avatar = Number.parseInt(hash.slice(18, 20), 16) % 4 === 0 ? null : hash.slice(-32);
  return newUser(id, name, `${usernameOf(name)}_${suffix}`, avatar);
};

export const seedUsers = (): PlatformUser[] =>
  seedNames.map(([id, name]) => newUser(id, name, usernameOf(name), sha256Hex(id).slice(-32)));

/** The owner of all applications. */
export const ownerId = '118264931620716544';

const usernameOf = (name: string): string => name.toLowerCase().replace(' ', '.');

const newUser = (
  id: string,
  globalName: string,
  username: string,
  avatar: string | null,
): PlatformUser => ({
  id,
  username,
  globalName,
  avatar,
  email: `${id}@example.test`,
  verified: true,
  isBot: false,
  atGuildCap: false,
  isUnknown: false,
  tokenState: 'valid',
});
