import type { Unrestored } from './map-roles.ts';

type UnrestoredRole = Extract<Unrestored, { kind: 'role' }>;

const reasons: Record<UnrestoredRole['reason'], (role: UnrestoredRole) => string> = {
  missing: () => 'the server has no such role',
  ambiguous: () => 'there are several roles of that name',
  aboveBot: () => "it stands above the bot's own role",
  dangerous: ({ permissions }) =>
    `it has dangerous permissions (${permissions.join(', ')}), and you did not name it`,
  dangerousSince: ({ permissions }) =>
    `it has dangerous permissions (${permissions.join(', ')}) that it did not have in the backup`,
  dangerousNamesake: () =>
    'the role of that name there has dangerous permissions, and a name alone does not prove that it is the same role',
  notAllowed: () => 'the bot may not manage roles',
};

/** What members do not get back, for the owner. */
export const describeUnrestored = ({
  unrestored,
  rolesRefused,
}: {
  unrestored: Unrestored[];
  rolesRefused: number;
}): string[] => [
  ...unrestored.map(describe),
  ...(rolesRefused === 0 ? [] : [describeRefused(rolesRefused)]),
];

const describe = (one: Unrestored): string => {
  switch (one.kind) {
    case 'role':
      return `The role ${one.name ?? one.roleId} is not given back: ${reasons[one.reason](one)}.`;
    case 'ownRole':
      return `The role ${one.name} is not given: it has dangerous permissions (${one.permissions.join(', ')}), and nobody has confirmed it.`;
    case 'nicknames':
      return 'Nicknames are not given back: the bot may not manage nicknames.';
  }
};

const describeRefused = (members: number): string =>
  `The platform refused roles, the nickname or permissions in channels of ${members === 1 ? 'one member' : `${members} members`}; nobody was left out for it.`;
