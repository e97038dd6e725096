import type { Holdfast, Output as OutputOf } from '@holdfast/sdk';
import {
  type CommandSpec,
  dryRunOption,
  noWaitOption,
  serverArgument,
  yesOption,
} from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError } from '../exit-codes.ts';
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
type Body = NonNullable<Parameters<Holdfast['planRestore']>[0]['body']>;

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
  options: [...(derived.options?.filter(({ flags }) => flags !== '--wait') ?? []), noWaitOption],
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
    const request = { params, body: body as Body };
    if (!(await agreeToPlan(context, holdfast, request, target, options.dryRun === true))) return;
    const job = await holdfast.restoreBackup(request);
    const label = `Restoring ${clean(target.name)}`;
    const waits = options.wait !== false;
    failIfPartial(await finishJob(context, holdfast, 'restore', job, { label, waits }));
  },
};

const targetOf = ({ params }: Call, body: Record<string, unknown>): string =>
  typeof body.targetServerId === 'string' ? body.targetServerId : (params?.id ?? '');

type Request = { params: { id: string; backupId: string }; body: Body };

/** Shows the plan and asks for the name of the server. False if there is nothing more to do. */
const agreeToPlan = async (
  context: Context,
  holdfast: Holdfast,
  request: Request,
  { name }: Server,
  isDryRun: boolean,
): Promise<boolean> => {
  const { output } = context;
  const plan = await holdfast.planRestore(request);
  if (isDryRun || isEmpty(plan)) {
    await output.show(plan, () => formatPlan(plan, output));
    return false;
  }
  output.note(formatPlan(plan, { ...output, style: output.noteStyle }));
  await context.confirm(`This changes ${clean(name)}.`, name);
  return true;
};

const isEmpty = (plan: OutputOf<'planRestore'>): boolean =>
  plan.create.length + plan.update.length + plan.delete.length === 0;

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
    const request: Request = { params: { id: server.id, backupId }, body: { mode: 'REPAIR' } };
    const isDryRun = options.dryRun === true;
    const isAgreed = await agreeToPlan(context, holdfast, request, server, isDryRun);
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
