import { z } from 'zod';
import { count, idParams, platformId, timestamp, url, uuid } from '../common.ts';
import { endpointsOf } from '../endpoint.ts';

/** What the page that recovers a server has to know beside backups, restores and pulls. */

/** A pull takes no more members by their ids. */
export const mostLostMembersNamed = 1000;

const newGuilds = z.object({
  inviteUrl: url.describe(
    "Adds the server's bot to a guild, with the permissions a restore needs.",
  ),
  guilds: z
    .array(z.object({ platformId, name: z.string(), memberCount: count.nullable() }))
    .describe('Guilds that the bot is in and none of your servers has, newest first.'),
  failure: z.string().nullable().describe('Why the platform could not be asked.'),
});
export type NewGuilds = z.output<typeof newGuilds>;

const lostMembers = z.object({
  total: count.describe('Verified members who are gone from the guild since then.'),
  pullable: count.describe('Those of them who can be brought back.'),
  memberIds: z
    .array(uuid)
    .nullable()
    .describe(
      `Who can be brought back. Null: all pullable members, because the server has moved to another guild since or there are more than ${mostLostMembersNamed}.`,
    ),
});

export const recoveryEndpoints = endpointsOf('Dashboard', {
  listNewGuilds: {
    method: 'GET',
    heavy: true,
    path: '/servers/:id/new-guilds',
    summary: 'Find the guild that a lost server can move to',
    description: "Asks the platform through the server's bot.",
    scope: 'platform:read',
    owner: 'server',
    params: idParams,
    data: newGuilds,
  },

  countLostMembers: {
    method: 'GET',
    heavy: true,
    mayReadStandby: true,
    path: '/servers/:id/lost-members',
    summary: 'Count the members whom a server has lost',
    scope: 'members:read',
    owner: 'server',
    params: idParams,
    query: z.object({ since: timestamp.describe('Such as the time of the last good backup.') }),
    data: lostMembers,
  },
});
