import type { Database, Transaction } from '../../db/connect.ts';
import type { Log } from '../../kernel/log.ts';
import type { Job, LeasedJob } from '../../queue/job.ts';
import { recordAudits } from '../audit/record-audits.ts';
import { freeAccount } from '../backups/free-account.ts';
import { releaseHolds } from '../backups/objects/queries.ts';
import type { FulfilTools } from './fulfil/delivery.ts';
import { fulfil } from './fulfil/fulfil-order.ts';
import { fulfilOrder, keepMarketTime, returnLatePayment } from './job-names.ts';
import { listReturning } from './orders/payments/queries.ts';
import { listUnconfirmed, listUnpaid, lockOrder } from './orders/queries.ts';
import { type ReturnTools, returnPayment } from './orders/return-payment.ts';
import { settleCompleted, settleUnpaid } from './orders/settle.ts';
import { statusAfter } from './rules.ts';
import { deleteStrayTemplate, listStrayTemplates } from './template/queries.ts';
import { type MarketTools, system } from './tools.ts';

export const fulfilOrderJob = (
  tools: FulfilTools,
): LeasedJob<{ orderId: string; accountId: string }> => ({
  ...fulfilOrder,
  concurrency: 4,
  groupConcurrency: 2,
  subjectOf: ({ orderId }) => `order:${orderId}`,
  run: ({ orderId }, signal, lease) => fulfil(tools, orderId, { signal, lease }),
});

export const returnLatePaymentJob = (tools: ReturnTools): Job<{ paymentId: string }> => ({
  ...returnLatePayment,
  run: ({ paymentId }) => returnPayment(tools, paymentId),
});

const minuteMs = 60 * 1000;
/** A payment made in the last moment is told a little later. */
const latePaymentMs = 15 * minuteMs;
const confirmedAfterMs = 14 * 24 * 60 * minuteMs;
/** Longer than any request that may still be at it. */
const strayAfterMs = 60 * minuteMs;
/** Longer than a job's own attempts take: the provider was gone, or the payment is disputed. */
const returnAgainAfterMs = 2 * 60 * minuteMs;
const atATime = 200;

type KeepTools = Pick<MarketTools, 'queue' | 'clock'> & { db: Database; log: Log };

/** What time alone changes: orders nobody paid for or confirmed, templates that came to be nobody's. */
export const keepMarketTimeJob = (tools: KeepTools & ReturnTools): Job => ({
  ...keepMarketTime,
  cron: '*/5 * * * *',
  runsAtStart: true,
  async run(_, signal) {
    await keepUpWithMarket(tools, signal);
    await returnForgotten(tools, signal);
  },
});

export const keepUpWithMarket = async (tools: KeepTools, signal: AbortSignal): Promise<void> => {
  await inTurns(tools, signal, { list: listUnpaid, afterMs: latePaymentMs, act: expire });
  await inTurns(tools, signal, { list: listUnconfirmed, afterMs: confirmedAfterMs, act: confirm });
  await inTurns(tools, signal, { list: listStrayTemplates, afterMs: strayAfterMs, act: drop });
};

/** Late payments that were not given back within the attempts of their own job. */
const returnForgotten = async (
  tools: KeepTools & ReturnTools,
  signal: AbortSignal,
): Promise<void> => {
  const before = new Date(tools.clock.now().getTime() - returnAgainAfterMs);
  for (const { id } of await listReturning(tools.db, before, atATime)) {
    signal.throwIfAborted();
    await returnPayment(tools, id).catch((err) =>
      tools.log.warn({ err, id }, 'a late payment could not be given back yet'),
    );
  }
};

type Turns<Row> = {
  list(db: Database, before: Date, most: number): PromiseLike<Row[]>;
  afterMs: number;
  act(tx: Transaction, tools: KeepTools, row: Row): Promise<void>;
};

/** Each in a transaction of its own; one that fails does not keep the others from their turn. */
const inTurns = async <Row extends { id: string }>(
  tools: KeepTools,
  signal: AbortSignal,
  { list, afterMs, act }: Turns<Row>,
): Promise<void> => {
  const before = new Date(tools.clock.now().getTime() - afterMs);
  for (;;) {
    const rows = await list(tools.db, before, atATime);
    let failures = 0;
    for (const row of rows) {
      signal.throwIfAborted();
      await tools.db
        .transaction((tx) => act(tx, tools, row))
        .catch((err) => {
          failures++;
          tools.log.error({ err, id: row.id }, 'what time changes in the market was not done');
        });
    }
    if (rows.length < atATime || failures > 0) return;
  }
};

const expire: Turns<{ id: string }>['act'] = async (tx, _, { id }) => {
  const order = await lockOrder(tx, id);
  // Paid or cancelled in the meantime.
  if (!order || !statusAfter(order.status, 'expire')) return;
  const { entries } = await settleUnpaid(tx, order, 'expire', { actor: system });
  await recordAudits(tx, entries);
};

const confirm: Turns<{ id: string }>['act'] = async (tx, tools, { id }) => {
  const order = await lockOrder(tx, id);
  if (!order || !statusAfter(order.status, 'complete')) return;
  const { entries } = await settleCompleted(tx, tools, order, { actor: system });
  await recordAudits(tx, entries);
};

const drop: Turns<{ id: string; accountId: string }>['act'] = async (tx, { queue }, stray) => {
  if (!(await deleteStrayTemplate(tx, stray.id))) return;
  await releaseHolds(tx, stray.id);
  await queue.enqueue(tx, freeAccount, { accountId: stray.accountId });
};
