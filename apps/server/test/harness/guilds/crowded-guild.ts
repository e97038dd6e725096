const firstRole = 10n ** 17n;
const firstChannel = 2n * 10n ** 17n;

type Size = { channels: number; roles: number; overwrites: number };

/** As much as the platform allows of what grows fastest: overwrites, which differ from each other. */
export const crowdedGuild = (
  guildId: string,
  { channels, roles, overwrites }: Size,
  allow = 1024n,
) => {
  const roleIds = Array.from({ length: roles - 1 }, (_, at) => String(firstRole + BigInt(at)));
  return {
    roles: [
      { id: guildId, name: '@everyone', permissions: '104324673' },
      ...roleIds.map((id, at) => ({
        id,
        name: `Role ${at}`,
        permissions: '1024',
        position: at + 1,
      })),
    ],
    channels: Array.from({ length: channels }, (_, at) => ({
      id: String(firstChannel + BigInt(at)),
      type: 0,
      name: `channel-${at}`,
      position: at,
      permission_overwrites: Array.from({ length: overwrites }, (_, which) => ({
        id: roleIds[(at + which) % roleIds.length] ?? guildId,
        type: 0,
        allow: String(allow << BigInt(which % 20)),
        deny: String(1n << BigInt(31 + ((at + which) % 10))),
      })),
    })),
    emojis: [],
    stickers: [],
  };
};
