import { z } from 'zod';
import { callConfirmed, planCall, planShape } from '../confirm.ts';
import { followJob, jobShape, startedJob, waitSeconds } from '../jobs.ts';
import type { OperationCall } from '../operations.ts';
import { defineTool } from '../tool.ts';
import { components, id } from './fields.ts';

export const backUp = defineTool({
  name: 'back_up',
  title: 'Back up a server',
  description:
    'Starts a backup of a server and returns it at once; follow_job tells how far it is. It counts only when its status is `completed`.',
  input: z.object({
    serverId: id.describe('From server_status.'),
    name: z.string().min(1).max(100).optional(),
    components: components.optional().describe('Default: all but messages and threads.'),
    waitSeconds: waitSeconds.default(0),
  }),
  output: jobShape,
  uses: ['createBackup', 'getBackup'],
  async run({ holdfast }, { serverId, waitSeconds: seconds, ...body }, request) {
    const record = await holdfast.createBackup({ params: { id: serverId }, body });
    return startedJob(holdfast, 'backup', record, seconds, request);
  },
});

const restoreFields = {
  serverId: id.describe('The server whose backup it is.'),
  backupId: id.describe(
    'A completed backup; `lastGoodBackupId` of server_status if no other is named.',
  ),
  mode: z
    .enum(['REPAIR', 'REPLACE'])
    .describe(
      'REPAIR keeps what is there and the same, edits what differs and creates what is missing: take it unless the person asks for the other. REPLACE deletes all channels, with their messages, and makes them anew.',
    ),
  deleteExtra: z
    .boolean()
    .optional()
    .describe('For REPAIR: also delete what the backup does not have. Default: no.'),
  components: components
    .optional()
    .describe('Default: all of the backup but messages and threads.'),
  targetServerId: id.optional().describe('Another of the own servers to restore into.'),
};

type RestoreInput = {
  serverId: string;
  backupId: string;
  mode: 'REPAIR' | 'REPLACE';
  deleteExtra?: boolean;
  components?: string[];
  targetServerId?: string;
};

const restoreCall = ({ serverId, backupId, ...body }: RestoreInput): OperationCall => ({
  operation: 'restoreBackup',
  params: { id: serverId, backupId },
  body,
});

export const planRestore = defineTool({
  name: 'plan_restore',
  title: 'Plan a restore',
  description:
    'What a restore would create, change and delete, and which dangerous permissions would be given, without changing anything. Returns the `planId` that restore demands; it holds for 15 minutes, for this API key and these arguments only.',
  input: z.object(restoreFields),
  output: planShape.extend({
    counts: z.object({ create: z.number(), update: z.number(), delete: z.number() }),
  }),
  uses: ['planRestore', 'getServer'],
  async run(toolbox, input) {
    const planned = await planCall(toolbox, restoreCall(input));
    return {
      guidance: [
        'Nothing was changed. Show the person what would be created, changed and deleted, and every warning.',
        'Only if they agree and type the name of the server themselves, call restore with the same arguments, this planId and that name.',
      ],
      data: { ...planned, counts: countsOf(planned.plan.preview) },
    };
  },
});

const listed = z.object({
  create: z.array(z.unknown()),
  update: z.array(z.unknown()),
  delete: z.array(z.unknown()),
});

/** Of the whole plan: its lists may be cut in the answer. */
const countsOf = (preview: unknown) => {
  const lists = listed.parse(preview);
  return {
    create: lists.create.length,
    update: lists.update.length,
    delete: lists.delete.length,
  };
};

export const restore = defineTool({
  name: 'restore',
  title: 'Restore a server',
  description:
    'Carries out a plan of plan_restore, and destroys what the plan says. Takes the same arguments, the `planId`, and as `serverName` the exact name of the server that is changed, typed by the person. The plan is computed again: if the server has changed since, nothing is done and the new plan is returned. Returns the job at once.',
  input: z.object({
    ...restoreFields,
    planId: z.string().max(200),
    serverName: z.string().max(200).describe('Typed by the person; never copy it from data.'),
    waitSeconds: waitSeconds.default(0),
  }),
  output: jobShape,
  uses: ['restoreBackup', 'planRestore', 'getRestore', 'getServer'],
  async run(toolbox, { planId, serverName, waitSeconds: seconds, ...input }, request) {
    const confirmation = { planId, name: serverName };
    const started = await callConfirmed(toolbox, restoreCall(input), confirmation);
    const { id: restoreId, serverId } = z.object({ id, serverId: id }).parse(started);
    const job = { kind: 'restore', id: restoreId, serverId } as const;
    return followJob(toolbox.holdfast, job, seconds, request);
  },
});

export const follow = defineTool({
  name: 'follow_job',
  title: 'Follow a backup, restore or pull',
  description:
    'How far a backup, a restore or a pull is: waits until it ends, but only for a while. Call it again while `hasEnded` is false.',
  input: z.object({
    kind: z.enum(['backup', 'restore', 'pull']),
    id: id.describe('Of the backup, the restore or the pull.'),
    serverId: id,
    waitSeconds: waitSeconds.default(10),
  }),
  output: jobShape,
  uses: ['getBackup', 'getRestore', 'getPull'],
  run: ({ holdfast }, { waitSeconds: seconds, ...job }, request) =>
    followJob(holdfast, job, seconds, request),
});
