import { z } from 'zod';
import { jobShape, startedJob, waitSeconds } from '../jobs.ts';
import { defineTool } from '../tool.ts';
import { id } from './fields.ts';

export const pullMembers = defineTool({
  name: 'pull_members',
  title: 'Pull members',
  description:
    'Starts to bring members who consented back into a server, as fast as the platform allows, with the roles and nicknames of the last good backup; never with a dangerous role. Returns the pull at once; follow_job tells how far it is. Ask the person first: it cannot be undone, and the plan sets a cooldown between two pulls.',
  input: z.object({
    serverId: id.describe('The server whose members are pulled.'),
    targetServerId: id.optional().describe('Where they are added; by default the same server.'),
    limit: z.int().min(1).optional().describe('The most members to pull.'),
    restoreRoles: z.boolean().optional(),
    waitSeconds: waitSeconds.default(0),
  }),
  output: jobShape,
  uses: ['createPull', 'getPull'],
  async run({ holdfast }, { serverId, waitSeconds: seconds, ...body }, request) {
    const record = await holdfast.createPull({ params: { id: serverId }, body });
    return startedJob(holdfast, 'pull', record, seconds, request);
  },
});

export const searchMembers = defineTool({
  name: 'search_members',
  title: 'Search members',
  description:
    'Verified members of a server, the newest first, by a part of their name or their exact platform id: whether they can be pulled, left, or look like a second account.',
  input: z.object({
    serverId: id,
    search: z.string().min(1).max(100).optional().describe('Part of a name, or a platform id.'),
    pullable: z.boolean().optional().describe('Only those who can be pulled, or only the others.'),
    page: z.int().min(1).default(1),
    limit: z.int().min(1).max(50).default(20),
  }),
  output: z.object({
    members: z.array(
      z.looseObject({ id: z.string(), platformId: z.string(), username: z.string() }),
    ),
    total: z.number(),
  }),
  uses: ['listMembers'],
  async run({ holdfast }, { serverId, ...query }) {
    const { data, pagination } = await holdfast.listMembers({ params: { id: serverId }, query });
    const members = data.map(({ avatar: _, fingerprint: _hash, ...member }) => member);
    return { data: { members, total: pagination.total } };
  },
});
