import type { Holdfast } from '@holdfast/sdk';
import {
  type CommandSpec,
  dryRunOption,
  noWaitOption,
  type OptionSpec,
  serverArgument,
  yesOption,
} from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError } from '../exit-codes.ts';
import { agreeToPlan, modeLine, type RestoreRequest } from '../jobs/agree-to-plan.ts';
import { failIfPartial, finishJob } from '../jobs/run-job.ts';
import { type Call, readCall } from '../operations/call.ts';
import { describeOperation } from '../operations/describe-operation.ts';
import { fieldsOfAny, operationNamed } from '../operations/named.ts';
import { backupIdOf, findServer } from '../operations/resolve.ts';
import { formatPlan } from '../output/plan.ts';
import { clean } from '../output/style.ts';

const operation = operationNamed('restoreBackup');
const derived = describeOperation(operation);

type Server = Awaited<ReturnType<typeof findServer>>;

/** The operation of the API replaces, unless told otherwise; this command repairs. */
const repairing = (option: OptionSpec): OptionSpec =>
  option.flags.startsWith('--mode')
    ? { ...option, description: option.description.replace('"REPLACE"', '"REPAIR"') }
    : option;

export const restore: CommandSpec = {
  ...derived,
  words: ['restore'],
  summary: 'Restore a server from a backup, after showing the plan',
  description:
    'Repairs by default: what is there and the same stays, with its messages. With --mode replace every channel is made anew. A safety backup is made first.',
  arguments: [
    serverArgument,
    {
      name: 'backup',
      description: 'id of the backup, latest, or good (the last good one, which is the default)',
      isOptional: true,
    },
  ],
  options: [
    ...(derived.options ?? []).filter(({ flags }) => flags !== '--wait').map(repairing),
    noWaitOption,
  ],
  outputFields: fieldsOfAny('getRestore', 'planRestore'),
  examples: [
    { does: 'See what would change', line: 'holdfast restore Harbour --dry-run' },
    { does: 'Restore the last good backup', line: 'holdfast restore Harbour' },
    {
      does: 'Only the roles of the newest backup, in a script',
      line: 'holdfast restore Harbour latest --components roles --yes',
    },
  ],
  async run(invocation) {
    const { context, options } = invocation;
    const [given = '', backup = 'good'] = invocation.args;
    const holdfast = await context.holdfast();
    const args = [given, backup];
    const call = await readCall(context, holdfast, operation, { ...invocation, args });
    const body = { mode: 'REPAIR', ...call.body };
    const target = await findServer(holdfast, targetOf(call, body));
    const params = { id: call.params?.id ?? '', backupId: call.params?.backupId ?? '' };
    // The service checks what was typed.
    const request = { params, body: body as RestoreRequest['body'] };
    if (!(await agree(context, holdfast, request, target, options.dryRun === true))) return;
    const job = await holdfast.restoreBackup(request);
    const label = `Restoring ${clean(target.name)}`;
    const waits = options.wait !== false;
    failIfPartial(await finishJob(context, holdfast, 'restore', job, { label, waits }));
  },
};

const targetOf = ({ params }: Call, body: Record<string, unknown>): string =>
  typeof body.targetServerId === 'string' ? body.targetServerId : (params?.id ?? '');

/** Shows the plan, and whether it shall run. */
const agree = async (
  context: Context,
  holdfast: Holdfast,
  request: RestoreRequest,
  target: Server,
  isDryRun: boolean,
): Promise<boolean> => {
  const { output } = context;
  const asked = { target, isDryRun };
  const { plan, nameOf, isAgreed } = await agreeToPlan(context, holdfast, request, asked);
  if (!isAgreed) {
    await output.show(
      plan,
      () => `${modeLine(request.body)}\n${formatPlan(plan, { ...output, nameOf })}`,
    );
  }
  return isAgreed;
};

export const recover: CommandSpec = {
  words: ['recover'],
  summary: 'Recover a damaged server: repair it from the last good backup, then bring members back',
  arguments: [serverArgument],
  options: [
    { flags: '--no-pull', description: 'do not bring members back' },
    yesOption,
    dryRunOption,
  ],
  outputFields: fieldsOfAny('getRestore', 'getPull', 'planRestore'),
  examples: [
    { does: 'After an attack', line: 'holdfast recover Harbour' },
    { does: 'Only see what it would do', line: 'holdfast recover Harbour --dry-run' },
  ],
  async run({ context, args: [given = ''], options }) {
    const holdfast = await context.holdfast();
    const server = await findServer(holdfast, given);
    const backupId = await backupIdOf(holdfast, server.id, 'good');
    const request: RestoreRequest = {
      params: { id: server.id, backupId },
      body: { mode: 'REPAIR' },
    };
    const isDryRun = options.dryRun === true;
    const isAgreed = await agree(context, holdfast, request, server, isDryRun);
    if (isDryRun) return;
    const name = clean(server.name);
    const repair = { label: `Repairing ${name}`, waits: true };
    const pulls = options.pull !== false;
    const repaired = isAgreed
      ? await finishJob(
          context,
          holdfast,
          'restore',
          await holdfast.restoreBackup(request),
          repair,
        ).catch((error) => {
          throw pulls ? withPullHint(context, error, server.id) : error;
        })
      : undefined;
    if (pulls) {
      const job = await holdfast.createPull({ params: { id: server.id } });
      const pull = { label: `Pulling to ${name}`, waits: true };
      await finishJob(context, holdfast, 'pull', job, pull);
    }
    failIfPartial(repaired);
  },
};

/** An interrupt ends the recovery before members are brought back: nobody else does it later. */
const withPullHint = ({ lineFor }: Context, error: unknown, serverId: string): unknown => {
  if (!(error instanceof CommandError) || error.exit !== 'interrupted') return error;
  const pull = `Then bring members back: ${lineFor(`pull ${serverId}`)}`;
  return new CommandError(error.exit, error.message, [...error.hints, pull]);
};
