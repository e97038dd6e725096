import { z } from 'zod';
import { backup } from './backups.ts';
import { idParams } from './common.ts';
import { endpointsOf } from './endpoint.ts';

export const healths = ['GOOD', 'CHANGED', 'DAMAGED', 'LOST', 'UNKNOWN'] as const;
export type Health = (typeof healths)[number];

export const healthReasonCodes = [
  'BOT_NOT_IN_GUILD',
  'BOT_REMOVED',
  'GUILD_DELETED',
  'CHANNELS_MISSING',
  'ROLES_MISSING',
  'VERIFIED_ROLE_MISSING',
  'LOG_CHANNEL_MISSING',
  'PANEL_CHANNEL_MISSING',
  'NOT_CONNECTED',
  'NOT_SEEN',
  'NO_GOOD_BACKUP',
] as const;
export type HealthReasonCode = (typeof healthReasonCodes)[number];

export const health = z.enum(healths).meta({
  description:
    'How the guild stands against the last good backup. `LOST`: the bot is not in it, or it was deleted. `DAMAGED`: at least 3 channels or roles are missing, or at least 2 that are 20 % of either. `CHANGED`: the verified role, the log channel or the channel of a panel is gone. `UNKNOWN`: the bot is not connected, or there is no good backup to compare with.',
  example: 'GOOD',
});

export const healthReasons = z
  .array(z.object({ code: z.enum(healthReasonCodes), detail: z.string() }))
  .meta({
    description:
      'Why the health is not `GOOD`. A lost guild is at first `BOT_NOT_IN_GUILD`; once the platform has said whether it still exists, `BOT_REMOVED` or `GUILD_DELETED`.',
    example: [],
  });

export const healthEndpoints = endpointsOf('Servers', {
  acceptHealth: {
    method: 'POST',
    path: '/servers/:id/health/accept',
    summary: 'Declare the present state of a server the good one',
    description:
      'Takes a backup that becomes the last good one when it is completed, whatever is missing against earlier backups. Should much more disappear before it is completed, it does not count as good. By a key it is taken only after as long as a weakening of protection waits, at least 10 minutes (`pending`), with an alert at once.',
    scope: 'backups:write',
    freshSecondFactor: 'always',
    owner: 'server',
    params: idParams,
    status: 202,
    data: backup,
    refusals: {
      403: "The plan's limit for backups or for storage is reached.",
      409: 'The bot is switched off or not in the guild, or a restore or such a backup is under way.',
    },
  },
});
