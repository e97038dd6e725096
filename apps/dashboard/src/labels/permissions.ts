import type { DangerousPermission } from '@holdfast/contract';

/** Listed again, since a value import would bundle the contract's validators. */
const dangerous: Record<DangerousPermission, true> = {
  ADMINISTRATOR: true,
  MANAGE_GUILD: true,
  MANAGE_ROLES: true,
  MANAGE_CHANNELS: true,
  MANAGE_WEBHOOKS: true,
  BAN_MEMBERS: true,
  KICK_MEMBERS: true,
  MODERATE_MEMBERS: true,
  MANAGE_MESSAGES: true,
  MANAGE_NICKNAMES: true,
  MANAGE_THREADS: true,
  MANAGE_GUILD_EXPRESSIONS: true,
  MANAGE_EVENTS: true,
  VIEW_AUDIT_LOG: true,
  MENTION_EVERYONE: true,
};

/** It gives power over other people or the server. */
export const isDangerous = (permission: string): boolean => Object.hasOwn(dangerous, permission);

const ownLabels: Record<string, string> = {
  SEND_TTS_MESSAGES: 'Send text-to-speech messages',
  USE_VAD: 'Use voice activity',
  MANAGE_GUILD: 'Manage server',
  MANAGE_GUILD_EXPRESSIONS: 'Manage expressions',
  CREATE_GUILD_EXPRESSIONS: 'Create expressions',
  VIEW_GUILD_INSIGHTS: 'View server insights',
  CREATE_INSTANT_INVITE: 'Create invites',
  STREAM: 'Video and screen sharing',
  MODERATE_MEMBERS: 'Time out members',
};

/** A sentence of the service, with dangerous permissions as the reader knows them. */
export const sayPermissions = (sentence: string): string =>
  sentence.replace(/\b[A-Z]+(?:_[A-Z]+)*\b/g, (word) =>
    isDangerous(word) ? permissionLabel(word) : word,
  );

/** "View channel" for `VIEW_CHANNEL`. */
export const permissionLabel = (permission: string): string => {
  const words = permission.toLowerCase().replaceAll('_', ' ');
  return ownLabels[permission] ?? `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
};
