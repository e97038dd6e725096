import type { Holdfast } from '@holdfast/sdk';
import type { CatalogOperation } from '@holdfast/sdk/catalog';
import type { Invocation } from '../command.ts';
import type { Context } from '../context.ts';
import { followJob, type JobRecord, watchLine } from '../jobs/follow.ts';
import { failIfPartial } from '../jobs/run-job.ts';
import { type Call, callOperation, listEverything, pathParams, readCall } from './call.ts';
import { operationNamed } from './named.ts';
import { findServer } from './resolve.ts';
import { showAnswer, showList, showRecord } from './show.ts';

/** Reads what was typed, asks before something is destroyed, calls, and shows the answer. */
export const runOperation = async (
  operation: CatalogOperation,
  invocation: Invocation,
): Promise<void> => {
  const { context, options } = invocation;
  const holdfast = await context.holdfast();
  const call = await readCall(context, holdfast, operation, invocation);
  if (options.dryRun === true) return showDryRun(context, holdfast, operation, call);
  if (operation.isDestructive && options.yes !== true) {
    await confirmDestruction(context, holdfast, operation, call);
  }
  if (options.all === true) {
    return showList(context, operation, await listEverything(holdfast, operation, call));
  }
  const answer = await callOperation(holdfast, operation, call);
  const { startsJob } = operation;
  if (operation.isPaginated) return showPage(context, operation, answer);
  if (!startsJob) return showAnswer(context, holdfast, operation, call, answer);
  // By the catalog this operation answers with the record of a job.
  const job = answer as JobRecord;
  if (options.wait === true) {
    const ended = await followJob(context, holdfast, startsJob, job, operation.summary);
    await showRecord(context, operation, ended);
    return failIfPartial(ended);
  }
  await showRecord(context, operation, job);
  context.output.hint(`Follow it: ${watchLine(context, startsJob, job)}`);
};

const showPage = async (
  context: Context,
  operation: CatalogOperation,
  answer: unknown,
): Promise<void> => {
  // By the contract every page has this form.
  const { data, pagination } = answer as { data: unknown[]; pagination: Pagination };
  await showList(context, operation, data);
  const { page, totalPages, total } = pagination;
  if (totalPages > 1) {
    context.output.hint(`Page ${page} of ${totalPages}, ${total} in all: --page, --limit, --all`);
  }
};

type Pagination = { page: number; totalPages: number; total: number };

/** The name of the server that loses something; without one, a plain yes. */
const confirmDestruction = async (
  context: Context,
  holdfast: Holdfast,
  operation: CatalogOperation,
  { params = {}, body = {} }: Call,
): Promise<void> => {
  const question = `${operation.summary}: this cannot be undone.`;
  const isOfServer = pathParams(operation.path)[0]?.resource === 'server';
  if (!context.isInteractive || !isOfServer) return context.confirm(question);
  const target = typeof body.targetServerId === 'string' ? body.targetServerId : params.id;
  const { name } = await findServer(holdfast, target ?? '');
  await context.confirm(question, name);
};

/** A restore has a plan; of everything else, the request is shown that would be sent. */
const showDryRun = async (
  context: Context,
  holdfast: Holdfast,
  operation: CatalogOperation,
  call: Call,
): Promise<void> => {
  if (operation.name === 'restoreBackup') {
    const plan = operationNamed('planRestore');
    const answer = await callOperation(holdfast, plan, call);
    return showAnswer(context, holdfast, plan, call, answer);
  }
  const path = operation.path.replace(/:(\w+)/g, (_, name: string) => call.params?.[name] ?? '');
  const { method } = operation;
  const request = { method, path: `/api/v1${path}`, query: call.query, body: call.body };
  await context.output.show({ dryRun: true, ...request });
};
