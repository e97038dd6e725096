import type { Holdfast } from '@holdfast/sdk';
import type { Context } from '../context.ts';
import { CommandError } from '../exit-codes.ts';
import { readPlanNames } from '../operations/plan-names.ts';
import { formatPlan, type Plan } from '../output/plan.ts';
import type { NameOf } from '../output/plan-changes.ts';
import { clean } from '../output/style.ts';

type Body = NonNullable<Parameters<Holdfast['planRestore']>[0]['body']>;
export type RestoreRequest = { params: { id: string; backupId: string }; body: Body };

type Asking = {
  target: { name: string };
  isDryRun: boolean;
  /** Ends the waiting for an answer. */
  signal?: AbortSignal;
};

/**
 * Shows the plan of a restore and asks for the name of the server. What runs then is what was shown: if the
 * server has changed meanwhile, nothing is begun. Not agreed means that there is nothing more to do.
 */
export const agreeToPlan = async (
  context: Context,
  holdfast: Holdfast,
  request: RestoreRequest,
  { target, isDryRun, signal }: Asking,
): Promise<{ plan: Plan; nameOf: NameOf; isAgreed: boolean }> => {
  const plan = await holdfast.planRestore({ ...request, signal });
  const nameOf = await readPlanNames(holdfast, { params: request.params, signal }, plan);
  if (isDryRun || plan.calls === 0) return { plan, nameOf, isAgreed: false };
  tellPlan(context, request, plan, nameOf);
  await unlessAborted(context.confirm(questionOf(plan, target.name), target.name), signal);
  const now = await holdfast.planRestore({ ...request, signal });
  if (digestOf(now) !== digestOf(plan)) {
    tellPlan(context, request, now, nameOf);
    throw new CommandError('conflict', 'The server has changed since its plan was shown', [
      'Nothing was done. If you agree to the new plan, run the command again.',
    ]);
  }
  signal?.throwIfAborted();
  return { plan, nameOf, isAgreed: true };
};

type ModeOf = { mode?: unknown; deleteExtra?: unknown };

/** What the mode means for what is there. */
export const modeLine = ({ mode = 'REPLACE', deleteExtra }: ModeOf): string => {
  if (mode === 'REPLACE') return 'Mode REPLACE: every channel is made anew, and its messages go.';
  const extra = deleteExtra === true ? 'is deleted' : 'stays';
  return `Mode REPAIR: what is there and the same stays; what is there besides ${extra}.`;
};

/** Also into a pipe: a log must show what was done. */
const tellPlan = (
  { io, output }: Context,
  { body }: RestoreRequest,
  plan: Plan,
  nameOf: NameOf,
): void => {
  if (output.isQuiet) return;
  const shown = formatPlan(plan, { style: output.noteStyle, columns: output.columns, nameOf });
  io.stderr.write(`${modeLine(body)}\n${shown}\n`);
};

const questionOf = (plan: Plan, name: string): string => {
  const counts = [
    ...(plan.create.length > 0 ? [`create ${plan.create.length}`] : []),
    ...(plan.update.length > 0 ? [`change ${plan.update.length}`] : []),
    ...(plan.delete.length > 0 ? [`delete ${plan.delete.length}`] : []),
  ];
  return `This changes ${clean(name)}: ${counts.join(', ') || `${plan.calls} requests`}.`;
};

/** Of what would be done; how long it takes may differ. */
const digestOf = ({ create, update, delete: deleted, warnings }: Plan): string =>
  JSON.stringify([create, update, deleted, warnings]);

const unlessAborted = (work: Promise<void>, signal: AbortSignal | undefined): Promise<void> => {
  if (!signal) return work;
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([work, aborted]);
};
