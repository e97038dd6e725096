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
import { endpoint } from './endpoint.ts';
import { type Conditions, changed, changedTo, lessOften, lowered } from './fresh-second-factor.ts';

export const captchaTypes = ['NONE', 'POW', 'TURNSTILE', 'HCAPTCHA'] as const;

export const backupSchedule = z
  .object({ everyHours: z.int().min(1).max(168) })
  .meta({ example: { everyHours: 24 } });
const kept = z.int().min(0).max(100);
export const retention = z
  .object({ daily: kept, weekly: kept, monthly: kept })
  .meta({ example: { daily: 7, weekly: 4, monthly: 3 } });

export const server = z
  .object({
    id: uuid,
    platformGuildId: platformId.meta({
      description: 'The server, on the platform.',
      example: '812345678901234567',
    }),
    name: z.string().meta({ example: 'Harbour' }),
    icon: url.meta({ example: 'https://cdn.example.com/harbour.png' }),
    memberCount: z.int().meta({ example: 1280 }),
    verifiedRoleId: platformId
      .nullable()
      .meta({ description: 'Given to whoever verifies.', example: '823456789012345678' }),
    logChannelId: platformId
      .nullable()
      .meta({ description: 'Where verifications are reported.', example: '834567890123456789' }),
    captchaType: z.enum(captchaTypes).meta({ example: 'POW' }),
    vpnBlockEnabled: z.boolean().meta({ example: true }),
    altDetectEnabled: z.boolean(),
    firewallEnabled: z.boolean(),
    antiNukeEnabled: z.boolean().describe('Stored; nothing acts on it yet.'),
    antiRaidEnabled: z.boolean().describe('Stored; nothing acts on it yet.'),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Server' });

export const serverDetails = server
  .extend({
    customBotId: uuid,
    minAccountAgeDays: z
      .int()
      .meta({ description: 'Younger accounts are turned away.', example: 7 }),
    backupSchedule: backupSchedule.nullable().describe('Null: no backup is made by itself.'),
    retention: retention.describe('How many scheduled backups are kept.'),
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
        description: 'What is kept for the server.',
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
      description: 'The server, on the platform.',
      example: '812345678901234567',
    }),
    customBotId: uuid.describe('One of your own bots.'),
    name: name.meta({ example: 'Harbour' }),
    verifiedRoleId: platformId
      .nullish()
      .meta({ description: 'Given to whoever verifies.', example: '823456789012345678' }),
    logChannelId: platformId
      .nullish()
      .meta({ description: 'Where verifications are reported.', example: '834567890123456789' }),
  })
  .meta({ id: 'NewServer' });

const serverChanges = atLeastOneOf(
  z.object({
    name,
    customBotId: uuid,
    platformGuildId: identifyingPlatformId.describe(
      'The community moved to a new guild: everything kept here goes with it.',
    ),
    verifiedRoleId: platformId.nullable(),
    logChannelId: platformId.nullable(),
    captchaType: z.enum(captchaTypes),
    vpnBlockEnabled: z.boolean(),
    altDetectEnabled: z.boolean(),
    firewallEnabled: z.boolean(),
    antiNukeEnabled: z.boolean().describe('Stored; nothing acts on it yet.'),
    antiRaidEnabled: z.boolean().describe('Stored; nothing acts on it yet.'),
    minAccountAgeDays: z.int().min(0).max(365).describe('Younger accounts are turned away.'),
    backupSchedule: backupSchedule.nullable().describe('Null: no backup is made by itself.'),
    retention: retention.describe('How many scheduled backups are kept.'),
  }),
).meta({
  id: 'ServerChanges',
  example: { captchaType: 'POW', vpnBlockEnabled: true, minAccountAgeDays: 7 },
});
export type ServerChanges = z.output<typeof serverChanges>;

const weakening: Conditions = {
  customBotId: changed,
  platformGuildId: changed,
  // Whoever chooses the role chooses what every verified member may do.
  verifiedRoleId: changed,
  // Where verifications are reported: a session thief would rather not be seen there.
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

export const serverEndpoints = {
  listServers: endpoint({
    method: 'GET',
    path: '/servers',
    tag: 'Servers',
    summary: 'List servers',
    scope: 'servers:read',
    freshSecondFactor: 'never',
    query: paginationQuery,
    status: 200,
    data: server,
    paginated: true,
  }),
  createServer: endpoint({
    method: 'POST',
    path: '/servers',
    tag: 'Servers',
    summary: 'Add a server',
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
  }),
  getServer: endpoint({
    method: 'GET',
    path: '/servers/:id',
    tag: 'Servers',
    summary: 'Read a server with its counts',
    scope: 'servers:read',
    freshSecondFactor: 'never',
    params: idParams,
    status: 200,
    data: serverDetails,
    refusals: { 404: 'No such server.' },
  }),
  updateServer: endpoint({
    method: 'PUT',
    path: '/servers/:id',
    tag: 'Servers',
    summary: 'Change server settings',
    scope: 'servers:write',
    freshSecondFactor: { whenChanges: weakening },
    params: idParams,
    body: serverChanges,
    status: 200,
    data: serverDetails,
    refusals: {
      403: 'The plan lacks the feature being switched on.',
      404: 'No such server or bot.',
      409: 'You already have a server for this guild.',
    },
  }),
  deleteServer: endpoint({
    method: 'DELETE',
    path: '/servers/:id',
    tag: 'Servers',
    summary: 'Delete a server for good',
    description:
      'Gone at once for every reader. Its members, rules, backups and analytics are erased in the background.',
    scope: 'servers:delete',
    freshSecondFactor: 'always',
    params: idParams,
    status: 200,
    data: deleted,
    refusals: { 404: 'No such server.' },
  }),
};
