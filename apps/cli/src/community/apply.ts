import type { Holdfast, Output as OutputOf } from '@holdfast/sdk';
import {
  type CommandSpec,
  dryRunOption,
  type Invocation,
  serverArgument,
  yesOption,
} from '../command.ts';
import { CommandError } from '../exit-codes.ts';
import { agreeToPlan, modeLine, type RestoreRequest } from '../jobs/agree-to-plan.ts';
import { followJob } from '../jobs/follow.ts';
import { findServer } from '../operations/resolve.ts';
import { formatPlan, type Plan } from '../output/plan.ts';
import type { NameOf } from '../output/plan-changes.ts';
import { clean } from '../output/style.ts';
import { type CommunityFile, readCommunityFile } from './community-file.ts';
import { type Change, type Comparison, compareDocuments } from './compare.ts';
import { namesPeople } from './document.ts';
import { countLine, formatChanges } from './format-changes.ts';
import { type Passing, withPassing } from './passing.ts';
import { type Reading, type Server, sections, tell, tellWarnings } from './source.ts';

export const applyCommand: CommandSpec = {
  words: ['apply'],
  summary: 'Make the server what a file says',
  description:
    'Repairs the server by a restore of mode REPAIR: what is missing is made, what differs is edited, and nothing is deleted without --prune. The plan is shown first, and nothing is begun if the server changes before it runs. Afterwards the server is compared with the file: the exit code is 8 where something of the file could not be made or read. Applied twice, the second time changes nothing.',
  arguments: [
    serverArgument,
    { name: 'file', description: 'as `holdfast export` writes it; `-` for standard input' },
  ],
  options: [
    { flags: '--prune', description: 'also delete what the file does not have' },
    dryRunOption,
    yesOption,
  ],
  examples: [
    { does: 'Show the plan', line: 'holdfast apply Harbour harbour.yaml --dry-run' },
    { does: 'In a pipeline', line: 'holdfast apply Harbour harbour.yaml --yes' },
  ],
  async run(invocation) {
    const { context, args } = invocation;
    const [given = '', path = ''] = args;
    const file = await readCommunityFile(context.io, path);
    tellWarnings(context, file.warnings);
    const server = await findServer(await context.holdfast(), given);
    await withPassing(context, server, (holdfast, passing) =>
      apply(invocation, holdfast, passing, { server, file }),
    );
  },
};

type Task = { server: Server; file: CommunityFile };

const apply = async (
  invocation: Invocation,
  holdfast: Holdfast,
  passing: Passing,
  task: Task,
): Promise<void> => {
  const { context, options } = invocation;
  const { server, file } = task;
  const reading = await passing.read(namesPeople(file.document));
  tellWarnings(context, reading.warnings);
  const comparison = compareWith(file, reading);
  if (comparison.changes.length === 0) return showNothingToDo(invocation, file, comparison);
  const backupId = await passing.importFile(file, reading);
  const params = { id: server.id, backupId };
  const request = { params, body: bodyOf(file, reading, options.prune === true) };
  const asking = { target: server, isDryRun: options.dryRun === true, signal: passing.signal };
  const { plan, nameOf, isAgreed } = await agreeToPlan(context, holdfast, request, asking);
  if (!isAgreed) return showPlan(invocation, request, { plan, nameOf }, comparison);
  const job = await holdfast.restoreBackup(request);
  const label = `Applying to ${server.name}`;
  await followJob(context, holdfast, 'restore', job, label);
  const restore = await holdfast.getRestore({ params: { id: job.id } });
  await showResult(invocation, passing, task, restore);
};

const compareWith = (file: CommunityFile, reading: Reading): Comparison =>
  compareDocuments(reading, { document: file.document, isFile: true });

/** What could not be read stays as it is: nobody knows what it is. */
const bodyOf = (
  { document }: CommunityFile,
  { unread }: Reading,
  deleteExtra: boolean,
): RestoreRequest['body'] => {
  const known = sections.filter((name) => document[name] !== undefined && !unread.includes(name));
  return { mode: 'REPAIR', deleteExtra, ...(unread.length > 0 && { components: known }) };
};

const showNothingToDo = async (
  { context: { output } }: Invocation,
  { file }: CommunityFile,
  { unread }: Comparison,
): Promise<void> => {
  const value = { applied: false, calls: 0, ...(unread.length > 0 && { unread }) };
  await output.show(value, () => `Nothing to do: the server is as in ${file}.`);
  failIfLeft([], unread);
};

const showPlan = async (
  { context, options }: Invocation,
  { body }: RestoreRequest,
  { plan, nameOf }: { plan: Plan; nameOf: NameOf },
  { changes, unread }: Comparison,
): Promise<void> => {
  const left = plan.calls === 0 ? leftOf(changes, options.prune === true) : [];
  const { output } = context;
  // People see them with the plan.
  if (output.isJson) tellWarnings(context, plan.warnings);
  const value = { applied: false, ...plan, left, unread };
  await output.show(value, () => `${modeLine(body)}\n${formatPlan(plan, { ...output, nameOf })}`);
  failIfLeft(left, unread);
};

/** Without --prune, what the server has besides is meant to stay. */
const leftOf = (changes: Change[], isPruned: boolean): Change[] =>
  changes.filter(({ kind }) => isPruned || kind !== 'removed');

/** What was done is what a new look at the server shows. */
const showResult = async (
  { context, options }: Invocation,
  passing: Passing,
  { server, file }: Task,
  restore: OutputOf<'getRestore'>,
): Promise<void> => {
  const comparison = compareWith(file, await passing.read(namesPeople(file.document)));
  const { unread } = comparison;
  const left = leftOf(comparison.changes, options.prune === true);
  const { output } = context;
  tellWarnings(context, restore.warnings);
  await output.show(
    { applied: true, ...restore, left, unread },
    () => `Applied to ${clean(server.name)}.`,
  );
  if (left.length > 0) {
    tell(
      context,
      formatChanges({ ...comparison, changes: left }, { ...output, style: output.noteStyle }),
    );
  }
  failIfLeft(left, unread);
  if (restore.status === 'partial') {
    throw new CommandError('jobFailed', 'Some of it could not be done');
  }
};

const failIfLeft = (left: Change[], unread: string[]): void => {
  if (left.length > 0) {
    throw new CommandError('jobFailed', `The server is not as in the file: ${countLine(left)}`);
  }
  if (unread.length === 0) return;
  throw new CommandError('jobFailed', `Not read, so left as it is: ${unread.join(', ')}`);
};
