import type { CommunityDocument } from '@holdfast/contract';

/**
 * How a document refers to its things: a role or emoji by its name, a channel by the path of its category
 * and its name. The same rules give the names when a document is written and when it is read.
 */

/** The second of one name is `name~2`, unless another is called that by itself. */
export const uniqueNames = (names: readonly string[]): string[] => {
  const taken = new Set<string>();
  const own = new Set(names);
  const last = new Map<string, number>();
  return names.map((name) => {
    if (!taken.has(name)) {
      taken.add(name);
      return name;
    }
    let number = last.get(name) ?? 1;
    do number++;
    while (own.has(`${name}~${number}`));
    last.set(name, number);
    return `${name}~${number}`;
  });
};

/** Those of bots come after the others: one that a server has besides changes no other's name. */
export const roleNames = <Role extends { name: string }>(
  roles: readonly Role[],
  isManaged: (role: Role) => boolean,
): Map<Role, string> => {
  const sorted = [...roles.filter((one) => !isManaged(one)), ...roles.filter(isManaged)];
  const names = uniqueNames(sorted.map(({ name }) => name));
  return new Map(sorted.map((role, index) => [role, names[index] ?? '']));
};

/** In a path a name's own slash is not one that separates. */
const escapeName = (name: string): string => name.replace(/[\\/]/g, '\\$&');

type Branch<Thing> = { thing: Thing; children: readonly Thing[] };

/** The paths of channels, in the order of the tree: each category before its channels. */
export const channelPaths = <Thing extends { name: string }>(
  tree: readonly Branch<Thing>[],
): { thing: Thing; parent: Thing | null; path: string }[] => {
  const tops = uniqueNames(tree.map(({ thing }) => escapeName(thing.name)));
  return tree.flatMap(({ thing, children }, index) => {
    const path = tops[index] ?? '';
    const paths = uniqueNames(children.map(({ name }) => `${path}/${escapeName(name)}`));
    return [
      { thing, parent: null, path },
      ...children.map((child, at) => ({ thing: child, parent: thing, path: paths[at] ?? '' })),
    ];
  });
};

export type DocumentChannel = CommunityDocument['channels'][number];

export const treeOfDocument = (
  channels: CommunityDocument['channels'],
): Branch<DocumentChannel>[] =>
  channels.map((thing) => ({
    thing,
    children: thing.type === 'CATEGORY' ? (thing.channels ?? []) : [],
  }));

/** What the document does not have is named by its id. */
export const rawReference = (id: string): string => `id:${id}`;

export const idOfRawReference = (reference: string): string | undefined =>
  /^id:(\d{1,20})$/.exec(reference)?.[1];
