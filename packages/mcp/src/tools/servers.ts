import { z } from 'zod';
import { createReader } from '../readable.ts';
import { defineTool } from '../tool.ts';
import { id } from './fields.ts';

const mostServers = 100;
const newest = { page: 1, limit: 5 };

const serverShape = z.looseObject({ id: z.string(), name: z.string(), health: z.string() });

export const serverStatus = defineTool({
  name: 'server_status',
  title: 'Status of my servers',
  description:
    'The servers of the account: health against the last good backup and its reasons, members, protection. With `serverId`, one of them with its settings, counts and newest backups. Start here: it has the ids that other tools take.',
  input: z.object({ serverId: id.optional().describe('Only this server, with more details.') }),
  output: z.looseObject({
    servers: z.array(serverShape),
    total: z.number(),
    backups: z.array(z.looseObject({ id: z.string(), status: z.string() })).optional(),
  }),
  uses: ['listServers', 'getServer', 'listBackups'],
  async run({ holdfast }, { serverId }) {
    if (serverId === undefined) {
      const { data, pagination } = await holdfast.listServers({ query: { limit: mostServers } });
      const servers = data.map(({ icon: _, ...server }) => server);
      return { guidance: adviceOn(servers), data: { servers, total: pagination.total } };
    }
    const params = { id: serverId };
    const { icon: _, ...server } = await holdfast.getServer({ params });
    const { tryRead, unread } = createReader();
    const backups = await tryRead(() => holdfast.listBackups({ params, query: newest }));
    return {
      guidance: adviceOn([server]),
      data: { servers: [server], total: 1, backups: backups?.data, unread },
    };
  },
});

const adviceOn = (servers: { health: string }[]): string[] =>
  servers.some(({ health }) => health === 'DAMAGED' || health === 'LOST')
    ? [
        'A server is damaged or lost. look_at_incident tells what happened; plan_restore what a repair would do.',
      ]
    : [];

export const lookAtIncident = defineTool({
  name: 'look_at_incident',
  title: 'Look at an incident',
  description:
    'An attack that was noticed: who did it, what they did and destroyed, how fast it was stopped, whether it is repaired. With `incidentId` that one; with `serverId` the newest of a server.',
  input: z
    .object({ incidentId: id.optional(), serverId: id.optional() })
    .refine(
      ({ incidentId, serverId }) => (incidentId === undefined) !== (serverId === undefined),
      'Give either incidentId or serverId',
    ),
  output: z.object({
    incidents: z.array(z.looseObject({ id: z.string(), kind: z.string(), status: z.string() })),
  }),
  uses: ['getIncident', 'listIncidents'],
  async run({ holdfast }, { incidentId, serverId = '' }) {
    const incidents =
      incidentId === undefined
        ? (await holdfast.listIncidents({ params: { id: serverId }, query: newest })).data
        : [await holdfast.getIncident({ params: { id: incidentId } })];
    const isContained = incidents.some(({ status }) => status === 'contained');
    return {
      guidance: isContained
        ? [
            'By call_operation the owner can repair it (repairIncident), give roles back (returnRoles) or dismiss it (dismissIncident). Ask which.',
          ]
        : [],
      data: { incidents },
    };
  },
});
