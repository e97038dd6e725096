import type { Health, HealthReasonCode } from '@holdfast/contract';

/** A reason as it is stored; of missing channels or roles, how many of how many. */
export type HealthReason = { code: HealthReasonCode; missing?: number; total?: number };

type StoredHealth = {
  health: Health;
  healthReasons: HealthReason[];
  isConnected: boolean;
};

/**
 * The health as it is shown. What is stored is the last that was known: while the bot is not connected
 * nobody knows whether it still holds.
 */
export const describeHealth = ({ health, healthReasons, isConnected }: StoredHealth) => {
  if (isConnected) return { health, healthReasons: healthReasons.map(describe) };
  const unknown: HealthReason[] = [
    { code: 'NOT_CONNECTED' },
    ...healthReasons.filter(({ code }) => code === 'NO_GOOD_BACKUP'),
  ];
  return { health: 'UNKNOWN' as const, healthReasons: unknown.map(describe) };
};

const sentences: Record<HealthReasonCode, (reason: HealthReason) => string> = {
  BOT_NOT_IN_GUILD: () => 'The bot is not in the server any more, or the server is gone.',
  BOT_REMOVED: () => 'The bot was removed from the server, which still exists: invite it again.',
  GUILD_DELETED: () => 'The server was deleted on the platform.',
  CHANNELS_MISSING: (reason) => `${count(reason, 'channel')} of the last good backup are missing.`,
  ROLES_MISSING: (reason) => `${count(reason, 'role')} of the last good backup are missing.`,
  VERIFIED_ROLE_MISSING: () => 'The role for verified members is gone.',
  LOG_CHANNEL_MISSING: () => 'The log channel is gone.',
  PANEL_CHANNEL_MISSING: () => 'The channel of a panel is gone: newcomers do not find its button.',
  NOT_CONNECTED: () => 'The bot is not connected, so changes of the server are not seen.',
  NOT_SEEN: () => 'The server was not read yet.',
  NO_GOOD_BACKUP: () => 'There is no good backup yet to compare the server with.',
};

const describe = (reason: HealthReason) => ({
  code: reason.code,
  detail: sentences[reason.code](reason),
});

const count = ({ missing = 0, total = 0 }: HealthReason, thing: string): string =>
  `${missing} of the ${total} ${thing}s`;
