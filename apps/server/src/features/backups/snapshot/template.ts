import type { BackupComponent } from '@holdfast/contract';
import { mapInTurns } from '../../../kernel/turns.ts';
import type { Channel, Role } from '../../../platform/guild.ts';
import { dangerous, without } from '../../../platform/permissions.ts';
import type { Snapshot } from './snapshot.ts';

/** All that a template can hold: none of it is personal data. */
export const templateComponents = [
  'settings',
  'roles',
  'channels',
  'emojis',
] as const satisfies readonly BackupComponent[];

export const withoutDangerous = (permissions: string): string =>
  without(BigInt(permissions), dangerous).toString();

/**
 * A template comes from another account, so its objects are not trusted: only the sections of a template
 * are used, without overwrites for people and without dangerous permissions.
 */
export const limitToTemplate = async ({
  guildId,
  settings,
  roles,
  channels,
  emojis,
}: Snapshot): Promise<Snapshot> => ({
  guildId,
  ...(settings && { settings }),
  ...(roles && { roles: roles.map(safeRole) }),
  ...(channels && { channels: await mapInTurns(channels, safeChannel) }),
  ...(emojis && { emojis }),
});

const safeRole = (role: Role): Role => ({
  ...role,
  permissions: withoutDangerous(role.permissions),
});

/** What an overwrite denies stays, because it only takes permissions away. */
const safeChannel = (channel: Channel): Channel => ({
  ...channel,
  overwrites: channel.overwrites
    .filter(({ kind }) => kind === 'role')
    .map((overwrite) => ({ ...overwrite, allow: withoutDangerous(overwrite.allow) })),
});
