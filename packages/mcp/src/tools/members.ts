import { z } from 'zod';
import { callConfirmed, planCall, planShape } from '../confirm.ts';
import { followJob, jobShape, waitSeconds } from '../jobs.ts';
import { defineTool } from '../tool.ts';
import { id } from './fields.ts';
import { planFirst } from './general.ts';

export const pullMembers = defineTool({
  name: 'pull_members',
  title: 'Pull members',
  description:
    'Brings members who consented back into a server, as fast as the platform allows, with the roles and nicknames of the last good backup; never with a dangerous role. It cannot be undone, and the plan of the account sets a cooldown between two pulls. The first call does nothing and returns a plan with its `planId`: show it to the person, and call again with the same arguments, the `planId`, and as `serverName` the exact name of the server that they are added to, typed by the person. Then it returns the pull at once; follow_job tells how far it is.',
  input: z.object({
    serverId: id.describe('The server whose members are pulled.'),
    targetServerId: id.optional().describe('Where they are added; by default the same server.'),
    limit: z.int().min(1).optional().describe('The most members to pull.'),
    restoreRoles: z.boolean().optional(),
    planId: z.string().max(200).optional(),
    serverName: z.string().max(200).optional().describe('Typed by the person.'),
    waitSeconds: waitSeconds.default(0),
  }),
  output: z.union([planShape, jobShape]),
  uses: ['createPull', 'getPull', 'getServer'],
  async run(toolbox, { serverId, planId, serverName, waitSeconds: seconds, ...body }, request) {
    const call = {
      ...{ operation: 'createPull', params: { id: serverId } },
      ...(Object.keys(body).length > 0 && { body }),
    };
    if (planId === undefined) {
      const planned = await planCall(toolbox, call);
      return { guidance: ['Nothing was done.', planFirst], data: planned };
    }
    const started = await callConfirmed(toolbox, call, { planId, name: serverName });
    const { id: pullId } = z.object({ id }).parse(started);
    return followJob(toolbox.holdfast, { kind: 'pull', id: pullId, serverId }, seconds, request);
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
