import { randomBytes } from 'node:crypto';

type Named = { id: string; name: string; [field: string]: unknown };
type Picture = { mime: string; base64: string };
export type LargeGuild = {
  channels: Named[];
  roles: Named[];
  emojis: Named[];
  images: Record<string, Picture>;
};

let lastId = 10n ** 17n;
const nextId = (): string => String(++lastId);
const several = <Thing>(count: number, make: (index: number) => Thing): Thing[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Random bytes: like a picture, they cannot be compressed. */
export const randomPicture = (bytes: number): Picture => ({
  mime: 'image/png',
  base64: randomBytes(bytes).toString('base64'),
});

type Size = { channels: number; roles: number; emojis: number; pictureBytes: number };

/** A guild's state for the simulator's control: a busy community, as far as its bytes go. */
export const largeGuild = (guildId: string, size: Size): LargeGuild => {
  const categories = several(Math.ceil(size.channels / 20), (index) => ({
    id: nextId(),
    type: 4,
    name: `Category ${index}`,
  }));
  const roles = several(size.roles - 1, (index) => ({
    id: nextId(),
    name: `Role ${index}`,
    permissions: String(1024 * (index + 1)),
    color: index * 1000,
  }));
  const channels = several(size.channels - categories.length, (index) => ({
    id: nextId(),
    type: 0,
    name: `channel-${index}`,
    topic: `What channel ${index} is about, in a sentence of its own: ${nextId()}`,
    parent_id: categories[index % categories.length]?.id,
    permission_overwrites: several(2, (which) => ({
      id: roles[(index + which) % roles.length]?.id ?? guildId,
      type: 0,
      allow: '1024',
      deny: '2048',
    })),
  }));
  const emojis = several(size.emojis, (index) => ({ id: nextId(), name: `emoji_${index}` }));
  return {
    roles: [{ id: guildId, name: '@everyone', permissions: '104324673' }, ...roles],
    channels: [...categories, ...channels],
    emojis,
    images: Object.fromEntries(
      emojis.map(({ id }) => [`emojis/${id}`, randomPicture(size.pictureBytes)]),
    ),
  };
};
