/** Guilds as the simulator's control takes them. */

export type Sizes = {
  categories: number;
  /** Text channels, besides the categories. */
  channels: number;
  roles: number;
  emojis: number;
  bans: number;
  members: number;
  messagesPerChannel: number;
};

export type MadeGuild = ReturnType<typeof makeGuild>;

const viewChannel = '1024';
const sendMessages = '2048';

/** Every second channel is private to one role, and every member has one role. */
export const makeGuild = (guildId: string, sizes: Sizes) => {
  const roles = list(sizes.roles, (at) => ({ name: `Role ${at}`, permissions: sendMessages }));
  const roleIdAt = (at: number) => roles[at % roles.length]?.id;
  const categories = list(sizes.categories, (at) => ({ name: `Category ${at}`, type: 4 }));
  const channels = list(sizes.channels, (at) => ({
    name: `channel-${at}`,
    type: 0,
    parent_id: categories[at % categories.length]?.id ?? null,
    permission_overwrites: at % 2 === 0 ? [] : privateTo(guildId, roleIdAt(at)),
  }));
  const emojis = list(sizes.emojis, (at) => ({ name: `emoji_${at}` }));
  const everyone = { id: guildId, name: '@everyone', permissions: viewChannel };
  return {
    guild: { name: `Community ${guildId}` },
    roles: [everyone, ...roles],
    channels: [...categories, ...channels],
    emojis,
    images: Object.fromEntries(emojis.map(({ id }) => [`emojis/${id}`, pictureOf(id)])),
    bans: list(sizes.bans, () => ({})).map((user) => ({ user, reason: null })),
    members: list(sizes.members, () => ({})).map((user, at) => ({ user, roles: [roleIdAt(at)] })),
    messages: channels.flatMap(({ id }) =>
      list(sizes.messagesPerChannel, (at) => ({ channel_id: id, content: `Message ${at}` })),
    ),
  };
};

/** The same people, and little else as it was. */
export const damageGuild = (guildId: string, { members }: MadeGuild, sizes: Sizes): MadeGuild => ({
  ...makeGuild(guildId, sizes),
  members: members.map(({ user }) => ({ user, roles: [] })),
});

/** Of eighteen digits, as real ones are: the client tells buckets apart by such. */
let lastId = 700_000_000_000_000_000n;
export const newSnowflake = (): string => {
  lastId += 1n;
  return String(lastId);
};

const list = <Thing extends object>(count: number, make: (at: number) => Thing) =>
  Array.from({ length: count }, (_, at) => ({ id: newSnowflake(), ...make(at) }));

const privateTo = (guildId: string, roleId: string | undefined) => [
  { id: guildId, type: 0, allow: '0', deny: viewChannel },
  ...(roleId ? [{ id: roleId, type: 0, allow: viewChannel, deny: '0' }] : []),
];

/** No two alike, so that none is stored only once. */
const pictureOf = (id: string) => {
  const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
  const bytes = Buffer.concat([Buffer.from(signature), Buffer.from(id.repeat(500))]);
  return { mime: 'image/png', base64: bytes.toString('base64') };
};
