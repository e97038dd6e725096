import type { BackupComponent } from '@holdfast/contract';
import type { Channel, Role } from '../../platform/guild.ts';
import { dangerous, without } from '../../platform/permissions.ts';
import type { Snapshot } from './snapshot.ts';

/** All that a template ever holds: nothing of it is a person's. */
export const templateComponents = [
  'settings',
  'roles',
  'channels',
  'emojis',
] as const satisfies readonly BackupComponent[];

/** A role's permissions, or what an overwrite allows, without the dangerous ones. */
export const harmless = (permissions: string): string =>
  without(BigInt(permissions), dangerous).toString();

/**
 * A template comes from a stranger. Whatever its objects hold, and whenever they were made, only the
 * sections of a template are read, without rules for people and without dangerous permissions.
 */
export const readAsTemplate = ({
  guildId,
  settings,
  roles,
  channels,
  emojis,
}: Snapshot): Snapshot => ({
  guildId,
  ...(settings && { settings }),
  ...(roles && { roles: roles.map(harmlessRole) }),
  ...(channels && { channels: channels.map(harmlessChannel) }),
  ...(emojis && { emojis }),
});

const harmlessRole = (role: Role): Role => ({ ...role, permissions: harmless(role.permissions) });

/** What an overwrite denies stays: it takes power away. */
const harmlessChannel = (channel: Channel): Channel => ({
  ...channel,
  overwrites: channel.overwrites
    .filter(({ kind }) => kind === 'role')
    .map((overwrite) => ({ ...overwrite, allow: harmless(overwrite.allow) })),
});
