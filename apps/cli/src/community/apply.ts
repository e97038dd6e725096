import type { Holdfast } from '@holdfast/sdk';
import {
  type CommandSpec,
  dryRunOption,
  type Invocation,
  serverArgument,
  yesOption,
} from '../command.ts';
import { CommandError } from '../exit-codes.ts';
import { followJob } from '../jobs/follow.ts';
import { findServer } from '../operations/resolve.ts';
import { formatPlan, type Plan } from '../output/plan.ts';
import { clean } from '../output/style.ts';
import { compareDocuments } from './compare.ts';
import { namesPeople } from './document.ts';
import { deleteQuietly, importFile, readCommunityFile, withReading } from './source.ts';

export const applyCommand: CommandSpec = {
  words: ['apply'],
  summary: 'Make the server what a file says',
  description:
    'Repairs the server by a restore of mode REPAIR: what is missing is made, what differs is edited, and nothing is deleted without --prune. The plan is shown first. Applied twice, the second time changes nothing.',
  arguments: [serverArgument, { name: 'file', description: 'as `holdfast export` writes it' }],
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
    const file = await readCommunityFile(path);
    const server = await findServer(await context.holdfast(), given);
    const people = namesPeople(file.document);
    await withReading(context, server, people, async (holdfast, reading) => {
      const { changes } = compareDocuments(
        reading.document,
        file.document,
        (one) => one === file.document,
      );
      if (changes.length === 0) return showNothingToDo(invocation, path);
      const backupId = await importFile(context, holdfast, server, file, reading);
      try {
        await planAndRestore(invocation, holdfast, server, backupId);
      } finally {
        await deleteQuietly(context, holdfast, server, backupId);
      }
    });
  },
};

const showNothingToDo = ({ context: { output } }: Invocation, file: string): Promise<void> =>
  output.show({ applied: false, calls: 0 }, () => `Nothing to do: the server is as in ${file}.`);

const planAndRestore = async (
  { context, options }: Invocation,
  holdfast: Holdfast,
  server: { id: string; name: string },
  backupId: string,
): Promise<void> => {
  const { output } = context;
  const params = { id: server.id, backupId };
  const body = { mode: 'REPAIR' as const, deleteExtra: options.prune === true };
  const plan: Plan = await holdfast.planRestore({ params, body });
  const isDone = plan.calls === 0 || options.dryRun === true;
  if (isDone) return output.show({ applied: false, ...plan }, () => formatPlan(plan, output));
  output.note(formatPlan(plan, { style: output.noteStyle, columns: output.columns }));
  await context.confirm(`This changes ${clean(server.name)}.`, server.name);
  const job = await holdfast.restoreBackup({ params, body });
  const restore = await followJob(context, holdfast, 'restore', job, `Applying to ${server.name}`);
  await output.show({ applied: true, ...restore }, () => `Applied to ${clean(server.name)}.`);
  if (restore.status === 'partial') {
    throw new CommandError('jobFailed', 'Some of it could not be done', restore.warnings);
  }
};
