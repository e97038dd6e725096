import { z } from 'zod';
import {
  atLeastOneOf,
  deleted,
  identifyingPlatformId,
  idParams,
  name,
  paginationQuery,
  platformId,
  timestamp,
  url,
  uuid,
} from './common.ts';
import { endpointsOf } from './endpoint.ts';
import { type Conditions, changed, changedTo, lessOften, lowered } from './fresh-second-factor.ts';
import { health, healthReasons } from './health.ts';
import { confirmRoleName, noPowerByKey } from './power.ts';

export const captchaTypes = ['NONE', 'POW', 'TURNSTILE', 'HCAPTCHA'] as const;

export const backupSchedule = z
  .object({ everyHours: z.int().min(1).max(168) })
  .meta({ example: { everyHours: 24 } });
const kept = z.int().min(0).max(100);
export const retention = z
  .object({ daily: kept, weekly: kept, monthly: kept })
  .meta({ example: { daily: 7, weekly: 4, monthly: 3 } });

const restoreRolesOnRejoin = z.boolean().meta({
  description:
    'Whether members who consented and come back by themselves get the roles and the nickname they had, and what channels allowed or denied them alone, but never anything with dangerous permissions. The bot needs the intent GUILD_MEMBERS to hear of it.',
  example: true,
});

const antiNukeEnabled = z.boolean().meta({
  description:
    'Whether whoever destroys much of the server in a short time is stopped: see its protection. Switching it off can take a while.',
  example: true,
});
const antiRaidEnabled = z.boolean().meta({
  description:
    'Whether a wave of young accounts is held off: see its protection. Switching it off can take a while.',
  example: true,
});

export const server = z
  .object({
    id: uuid,
    platformGuildId: platformId.meta({
      description: 'The guild on the platform.',
      example: '812345678901234567',
    }),
    name: z.string().meta({
      description: 'While its bot is connected, it follows the name of the guild.',
      example: 'Harbour',
    }),
    icon: url.meta({ example: 'https://cdn.example.com/harbour.png' }),
    memberCount: z.int().meta({ example: 1280 }),
    verifiedRoleId: platformId
      .nullable()
      .meta({ description: 'Given to everyone who verifies.', example: '823456789012345678' }),
    logChannelId: platformId
      .nullable()
      .meta({ description: 'Where verifications are reported.', example: '834567890123456789' }),
    captchaType: z.enum(captchaTypes).meta({ example: 'POW' }),
    vpnBlockEnabled: z.boolean().meta({ example: true }),
    altDetectEnabled: z.boolean(),
    firewallEnabled: z.boolean(),
    antiNukeEnabled,
    antiRaidEnabled,
    health,
    healthReasons,
    lastGoodBackupId: uuid
      .nullable()
      .describe(
        'The newest completed backup with roles and channels that was not taken while the server was `DAMAGED` or `LOST`, or that you declared good.',
      ),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Server' });

const serverDetails = server
  .extend({
    customBotId: uuid,
    minAccountAgeDays: z.int().meta({ description: 'Younger accounts are blocked.', example: 7 }),
    backupSchedule: backupSchedule.nullable().describe('Null: automatic backups are off.'),
    retention: retention.describe('How many scheduled backups are kept.'),
    restoreRolesOnRejoin,
    _count: z
      .object({
        members: z.int(),
        pullableMembers: z.int(),
        backups: z.int(),
        firewallRules: z.int(),
        whitelistRules: z.int(),
        pulls: z.int(),
      })
      .meta({
        description: 'Counts of what the server has.',
        example: {
          members: 1204,
          pullableMembers: 987,
          backups: 14,
          firewallRules: 3,
          whitelistRules: 1,
          pulls: 2,
        },
      }),
  })
  .meta({ id: 'ServerDetails' });

const newServer = z
  .object({
    platformGuildId: identifyingPlatformId.meta({
      description: 'The guild on the platform.',
      example: '812345678901234567',
    }),
    customBotId: uuid.describe('One of your own bots.'),
    name: name.meta({ example: 'Harbour' }),
    verifiedRoleId: platformId
      .nullish()
      .meta({ description: 'Given to everyone who verifies.', example: '823456789012345678' }),
    logChannelId: platformId
      .nullish()
      .meta({ description: 'Where verifications are reported.', example: '834567890123456789' }),
    confirmRoleName,
  })
  .meta({ id: 'NewServer' });

const serverChanges = atLeastOneOf(
  z.object({
    name,
    customBotId: uuid,
    platformGuildId: identifyingPlatformId.describe(
      'If the community moved to a new guild: everything stored here moves with it.',
    ),
    verifiedRoleId: platformId.nullable(),
    logChannelId: platformId.nullable(),
    captchaType: z.enum(captchaTypes),
    vpnBlockEnabled: z.boolean(),
    altDetectEnabled: z.boolean(),
    firewallEnabled: z.boolean(),
    antiNukeEnabled,
    antiRaidEnabled,
    minAccountAgeDays: z.int().min(0).max(365).describe('Younger accounts are blocked.'),
    backupSchedule: backupSchedule.nullable().describe('Null: automatic backups are off.'),
    retention: retention.describe('How many scheduled backups are kept.'),
    restoreRolesOnRejoin,
    confirmRoleName,
  }),
).meta({
  id: 'ServerChanges',
  example: { captchaType: 'POW', vpnBlockEnabled: true, minAccountAgeDays: 7 },
});
export type ServerChanges = z.output<typeof serverChanges>;

const weakening: Conditions = {
  customBotId: changed,
  platformGuildId: changed,
  // The role decides what every verified member may do.
  verifiedRoleId: changed,
  // Verifications are reported there: a stolen session could hide its traces by moving it.
  logChannelId: changed,
  captchaType: changedTo('NONE'),
  vpnBlockEnabled: changedTo(false),
  altDetectEnabled: changedTo(false),
  firewallEnabled: changedTo(false),
  antiNukeEnabled: changedTo(false),
  antiRaidEnabled: changedTo(false),
  minAccountAgeDays: lowered,
  backupSchedule: lessOften,
  retention: lowered,
};

export const serverEndpoints = endpointsOf('Servers', {
  listServers: {
    method: 'GET',
    path: '/servers',
    summary: 'List servers',
    scope: 'servers:read',
    query: paginationQuery,
    data: server,
    paginated: true,
  },
  createServer: {
    method: 'POST',
    path: '/servers',
    summary: 'Add a server',
    description: noPowerByKey('verifiedRoleId'),
    scope: 'servers:write',
    freshSecondFactor: 'never',
    body: newServer,
    status: 201,
    data: server,
    refusals: {
      403: 'The plan allows no further server.',
      404: 'No such bot.',
      409: 'You already have a server for this guild.',
    },
  },
  getServer: {
    method: 'GET',
    path: '/servers/:id',
    summary: 'Read a server with its counts',
    scope: 'servers:read',
    params: idParams,
    data: serverDetails,
    refusals: { 404: 'No such server.' },
  },
  updateServer: {
    method: 'PUT',
    path: '/servers/:id',
    summary: 'Change server settings',
    description:
      'Switching `antiNukeEnabled` or `antiRaidEnabled` off raises an alert, and waits as every weakening of protection does. ' +
      noPowerByKey('verifiedRoleId'),
    scope: 'servers:write',
    freshSecondFactor: { whenChanges: weakening },
    params: idParams,
    body: serverChanges,
    data: serverDetails,
    refusals: {
      403: 'The plan lacks the feature being switched on.',
      404: 'No such server or bot.',
      409: 'You already have a server for this guild.',
    },
  },
  deleteServer: {
    method: 'DELETE',
    path: '/servers/:id',
    summary: 'Delete a server',
    description:
      'It disappears at once. Its members, rules, backups and analytics are erased in the background.',
    scope: 'servers:delete',
    freshSecondFactor: 'always',
    params: idParams,
    data: deleted,
    refusals: { 404: 'No such server.' },
  },
});
