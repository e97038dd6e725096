import type { CatalogOperation } from '@holdfast/sdk/catalog';
import { type CommandSpec, type Example, noWaitOption } from '../command.ts';
import type { Job } from '../jobs/follow.ts';
import { finishJob } from '../jobs/run-job.ts';
import { callOperation, readCall } from '../operations/call.ts';
import { describeOperation } from '../operations/describe-operation.ts';
import { operationNamed } from '../operations/named.ts';
import { findServer } from '../operations/resolve.ts';
import { clean } from '../output/style.ts';

type Task = {
  word: string;
  operation: CatalogOperation;
  summary: string;
  description?: string;
  /** Beside the bar, before the name of the server. */
  label: string;
  examples: Example[];
};

/** An operation that starts a job on a server, with the waiting. */
const jobTask = ({ word, operation, label, ...texts }: Task): CommandSpec => {
  const derived = describeOperation(operation);
  const ownOptions = derived.options?.filter(({ flags }) => flags !== '--wait') ?? [];
  return {
    ...derived,
    ...texts,
    words: [word],
    options: [...ownOptions, noWaitOption],
    async run(invocation) {
      const { context, args, options } = invocation;
      if (options.dryRun === true) return derived.run(invocation);
      const holdfast = await context.holdfast();
      const call = await readCall(context, holdfast, operation, invocation);
      const { name } = await findServer(holdfast, call.params?.id ?? args[0] ?? '');
      // By the catalog these operations answer with the record of a job.
      const job = (await callOperation(holdfast, operation, call)) as Job;
      const waits = options.wait !== false;
      const kind = operation.startsJob ?? 'backup';
      await finishJob(context, holdfast, kind, job, { label: `${label} ${clean(name)}`, waits });
    },
  };
};

export const backup = jobTask({
  word: 'backup',
  operation: operationNamed('createBackup'),
  summary: 'Back up a server and wait until the backup is verified',
  label: 'Backing up',
  examples: [
    { does: 'Back up a server', line: 'holdfast backup Harbour' },
    {
      does: 'Every night, by cron: prints the id, and fails if the backup does',
      line: 'holdfast backup Harbour --quiet --jq .id',
    },
    {
      does: 'With the newest messages',
      line: 'holdfast backup Harbour --components roles,channels,messages --messages-per-channel 50',
    },
  ],
});

export const pull = jobTask({
  word: 'pull',
  operation: operationNamed('createPull'),
  summary: 'Bring members who consented back to a server, or to another one',
  label: 'Pulling to',
  examples: [
    { does: 'Bring back everybody who can be', line: 'holdfast pull Harbour' },
    {
      does: 'To the new server, without roles',
      line: 'holdfast pull Harbour --target-server-id Haven --no-restore-roles',
    },
  ],
});
