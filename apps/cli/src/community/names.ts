import type { Channel, CommunityDocument } from './document.ts';

/** The second of one name is `name~2`, unless another is called that by itself; the service does the same. */
export const uniqueNames = (names: readonly string[]): string[] => {
  const seen = new Set<string>();
  const own = new Set(names);
  const last = new Map<string, number>();
  return names.map((name) => {
    if (!seen.has(name)) {
      seen.add(name);
      return name;
    }
    let number = last.get(name) ?? 1;
    do number++;
    while (own.has(`${name}~${number}`));
    last.set(name, number);
    return `${name}~${number}`;
  });
};

export const escapeName = (name: string): string => name.replace(/[\\/]/g, '\\$&');

export type Placed = { channel: Omit<Channel, 'channels'>; category: string | null; path: string };

/** Every channel with its path, a category before its channels. */
export const placeChannels = (channels: CommunityDocument['channels']): Placed[] => {
  const tops = uniqueNames(channels.map(({ name }) => escapeName(name)));
  return channels.flatMap((channel, index) => {
    const path = tops[index] ?? '';
    const children = channel.type === 'CATEGORY' ? (channel.channels ?? []) : [];
    const paths = uniqueNames(children.map(({ name }) => `${path}/${escapeName(name)}`));
    return [
      { channel, category: null, path },
      ...children.map((child, at) => ({ channel: child, category: path, path: paths[at] ?? '' })),
    ];
  });
};
