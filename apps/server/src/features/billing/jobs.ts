import { z } from 'zod';
import type { Transaction } from '../../db/connect.ts';
import type { Job } from '../../queue/job.ts';
import { recordAudit } from '../audit/queries.ts';
import { recordAudits } from '../audit/record-audits.ts';
import { listExpired, removePending } from './invoices/queries.ts';
import { notify } from './notices/notify.ts';
import { standingOf } from './rules.ts';
import { changeSubscription } from './subscriptions/change.ts';
import {
  listEnding,
  listOverdue,
  lockSubscriptionById,
  storeStanding,
} from './subscriptions/queries.ts';
import type { BillingTools } from './tools.ts';

const system = { type: 'SYSTEM', id: null } as const;
const dayMs = 24 * 60 * 60 * 1000;
const remindBeforeMs = 3 * dayMs;
/** Long after its time even a provider that was down for days has told what became of it. */
const keepExpiredMs = 7 * dayMs;
const atATime = 500;

export const keepTime = { name: 'billing.keep-time', payload: z.object({}) };

type Tools = Omit<BillingTools, 'orders'>;

/** What time alone changes: grace that is over, months that end, invoices that nobody paid. */
export const keepTimeJob = (tools: Tools): Job => ({
  ...keepTime,
  cron: '7 * * * *',
  runsAtStart: true,
  run: (_, signal) => keepUpWithTime(tools, signal),
});

export const keepUpWithTime = async (tools: Tools, signal: AbortSignal): Promise<void> => {
  await inTurns(tools, signal, listOverdueNow, endGraceOrMonth);
  await inTurns(tools, signal, listEndingSoon, remind);
  await inTurns(tools, signal, listForgotten, removeForgotten);
};

type InTurn<Row> = (tx: Transaction, tools: Tools, row: Row) => Promise<void>;

/** Each in a transaction of its own; one that fails does not keep the others from their turn. */
const inTurns = async <Row extends { id: string }>(
  tools: Tools,
  signal: AbortSignal,
  list: (tools: Tools) => PromiseLike<Row[]>,
  act: InTurn<Row>,
): Promise<void> => {
  for (;;) {
    const rows = await list(tools);
    let failures = 0;
    for (const row of rows) {
      signal.throwIfAborted();
      await tools.db
        .transaction((tx) => act(tx, tools, row))
        .catch((err) => {
          failures++;
          tools.log.error({ err, id: row.id }, 'what time changes in billing could not be done');
        });
    }
    if (rows.length < atATime || failures > 0) return;
  }
};

const listOverdueNow = ({ db, clock }: Tools) => listOverdue(db, clock.now(), atATime);

const endGraceOrMonth: InTurn<{ id: string }> = async (tx, tools, { id }) => {
  const held = await lockSubscriptionById(tx, id);
  const now = tools.clock.now();
  // Another worker was here first, or it was paid for since.
  if (!held?.accountId || !held.changesAt || held.changesAt > now) return;
  const { accountId, facts } = held;
  const standing = standingOf(facts, now, tools.billing.graceDays);
  // Not yet: the operator gives more grace than when this was worked out.
  if (standing.changesAt !== null) return storeStanding(tx, id, { ...standing, accountId, facts });
  const change = { accountId, facts, actor: system, action: 'subscription.lapse' };
  await recordAudits(tx, await changeSubscription(tx, tools, held, change));
};

const listEndingSoon = ({ db, clock }: Tools) => {
  const from = clock.now();
  return listEnding(db, { from, to: new Date(from.getTime() + remindBeforeMs) }, atATime);
};

const remind: InTurn<{ id: string; accountId: string; subject: string }> = async (tx, tools, row) => {
  const { id: subscriptionId, accountId, subject } = row;
  const notice = { kind: 'PERIOD_ENDING', subject, accountId, subscriptionId } as const;
  await recordAudits(tx, await notify(tx, tools, notice));
};

const listForgotten = ({ db, clock }: Tools) =>
  listExpired(db, new Date(clock.now().getTime() - keepExpiredMs), atATime);

const removeForgotten: InTurn<{ id: string; accountId: string }> = async (tx, _, { id, accountId }) => {
  if (!(await removePending(tx, { id, accountId }))) return;
  const subject = { type: 'invoice', id };
  await recordAudit(tx, { accountId, actor: system, action: 'invoice.remove', subject });
};
