/** The platform's permissions that we reason about, and what they are called. */
export const permission = {
  createInstantInvite: 1n << 0n,
  kickMembers: 1n << 1n,
  banMembers: 1n << 2n,
  administrator: 1n << 3n,
  manageChannels: 1n << 4n,
  manageGuild: 1n << 5n,
  viewAuditLog: 1n << 7n,
  viewChannel: 1n << 10n,
  sendMessages: 1n << 11n,
  manageMessages: 1n << 13n,
  mentionEveryone: 1n << 17n,
  connect: 1n << 20n,
  muteMembers: 1n << 22n,
  deafenMembers: 1n << 23n,
  moveMembers: 1n << 24n,
  manageNicknames: 1n << 27n,
  manageRoles: 1n << 28n,
  manageWebhooks: 1n << 29n,
  manageExpressions: 1n << 30n,
  manageEvents: 1n << 33n,
  manageThreads: 1n << 34n,
  moderateMembers: 1n << 40n,
  createExpressions: 1n << 43n,
} as const;

type PermissionName = keyof typeof permission;

/** Power over other people or over the server itself: never to be gained by a likeness of names. */
const dangerousNames: PermissionName[] = [
  'kickMembers',
  'banMembers',
  'administrator',
  'manageChannels',
  'manageGuild',
  'viewAuditLog',
  'manageMessages',
  'mentionEveryone',
  'muteMembers',
  'deafenMembers',
  'moveMembers',
  'manageNicknames',
  'manageRoles',
  'manageWebhooks',
  'manageExpressions',
  'manageEvents',
  'manageThreads',
  'moderateMembers',
];

export const dangerous = dangerousNames.reduce((all, name) => all | permission[name], 0n);

/** Each bit of a negative one is set: whoever has it has all permissions there are. */
export const allPermissions = -1n;

export const includes = (granted: bigint, wanted: bigint): boolean => (granted & wanted) === wanted;

export const without = (granted: bigint, taken: bigint): bigint => granted & ~taken;

/** "manage channels, kick members": for sentences an owner reads. */
export const namePermissions = (bits: bigint): string => {
  const named = Object.entries(permission).filter(([, bit]) => includes(bits, bit));
  const rest = named.reduce((left, [, bit]) => without(left, bit), bits);
  const words = named.map(([name]) =>
    name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
  );
  return [...words, ...(rest === 0n ? [] : ['others'])].join(', ');
};
