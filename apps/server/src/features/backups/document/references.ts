import type { CommunityDocument } from '@holdfast/contract';
import { compareRank } from '../../../platform/permissions.ts';
import { treeOf } from '../contents/channel-tree.ts';
import type { SectionEntry, Snapshot } from '../snapshot/snapshot.ts';
import { nameOfImage } from './images.ts';
import { channelPaths, rawReference, roleNames, uniqueNames } from './names.ts';
import { withoutUsual } from './usual-values.ts';

/** What is referred to as what. */
export type References = {
  role(id: string): string;
  channel(id: string): string;
  /** A custom emoji as `:name:`, any other as itself. */
  emoji(emojiId: string | null, emojiName: string | null): string | undefined;
};

/** Highest first, and everyone's last. */
export const rolesInOrder = <Role extends SectionEntry<'roles'>>(
  roles: readonly Role[],
  guildId: string,
): Role[] => {
  const isEveryone = ({ id }: Role) => id === guildId;
  const others = roles.filter((role) => !isEveryone(role));
  return [...others.toSorted((one, other) => compareRank(other, one)), ...roles.filter(isEveryone)];
};

const namesOf = (things: readonly { id: string; name: string }[]): Map<string, string> => {
  const names = uniqueNames(things.map(({ name }) => name));
  return new Map(things.map(({ id }, index) => [id, names[index] ?? '']));
};

export const referencesIn = ({
  guildId,
  roles = [],
  channels = [],
  emojis = [],
}: Snapshot): References => {
  const named = roleNames(rolesInOrder(roles, guildId), ({ isManaged }) => isManaged);
  const nameOfRole = new Map([...named].map(([{ id }, name]) => [id, name]));
  const role = (id: string) => nameOfRole.get(id) ?? rawReference(id);
  const emojiNames = namesOf(emojisInOrder(emojis, role).map(({ thing }) => thing));
  const tree = channelPaths(treeOf(channels));
  const paths = new Map(tree.map(({ thing, path }) => [thing.id, path]));
  return {
    role,
    channel: (id) => paths.get(id) ?? rawReference(id),
    emoji: (emojiId, emojiName) =>
      emojiId === null
        ? (emojiName ?? undefined)
        : `:${emojiNames.get(emojiId) ?? rawReference(emojiId)}:`,
  };
};

type DocumentEmoji = NonNullable<CommunityDocument['emojis']>[number];

/** Emojis are referred to by their place among those of one name, so their order is part of that. */
export const emojisInOrder = (
  emojis: readonly SectionEntry<'emojis'>[],
  role: References['role'],
): { thing: SectionEntry<'emojis'>; written: DocumentEmoji }[] =>
  inDocumentOrder(emojis, ({ name, image, isAnimated, isManaged, roleIds }) =>
    withoutUsual({
      name,
      image: image && nameOfImage(image),
      animated: isAnimated,
      managed: isManaged,
      roles: roleIds.map(role).sort(),
    }),
  );

/**
 * By name, then by what is written of them: the platform gives them no order. Of two that are the same, the
 * older one comes first.
 */
export const inDocumentOrder = <Thing extends { id: string; name: string }, Written>(
  things: readonly Thing[],
  write: (thing: Thing) => Written,
): { thing: Thing; written: Written }[] =>
  things
    .map((thing) => ({ thing, written: write(thing) }))
    .map((one) => ({ ...one, text: JSON.stringify(one.written) }))
    .sort((one, other) => {
      if (one.thing.name !== other.thing.name) return one.thing.name < other.thing.name ? -1 : 1;
      if (one.text !== other.text) return one.text < other.text ? -1 : 1;
      return BigInt(one.thing.id) < BigInt(other.thing.id) ? -1 : 1;
    });
