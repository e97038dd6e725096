import type { Transaction } from '../../db/connect.ts';
import { DatabaseUnreachable } from '../../db/failures.ts';
import { withinDeadline } from '../../kernel/deadline.ts';
import { Refusal } from '../../kernel/errors.ts';
import { insertEvent, type NewEvent, settleEvent } from './events/queries.ts';
import type { Settlement, WebhookTools } from './tools.ts';

/** What is late is taken all the same, and the provider's next copy finds it taken. */
const deadlineMs = 4500;

export const refuseEvent = (sentence: string): Refusal => new Refusal(400, sentence);

type Reviver = Parameters<typeof JSON.parse>[1];

export const parseJson = (body: Uint8Array, reviver?: Reviver): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body), reviver);
  } catch {
    throw refuseEvent('The body is not valid JSON');
  }
};

/**
 * Applies an event, once. Its row comes first, in the transaction that applies it: of all copies, over
 * all processes, one gets that far. A failure takes everything back, so that the provider's next copy
 * is as good as the first.
 */
export const takeEvent = (
  tools: WebhookTools,
  event: NewEvent,
  apply: (tx: Transaction) => Promise<Settlement>,
): Promise<void> => {
  if (!tools.isDatabaseReachable()) throw new DatabaseUnreachable();
  const ms = deadlineMs * (tools.patience ?? 1);
  return withinDeadline({ ms, lastMs: ms }, async () => {
    const settlement = await tools.db.transaction(async (tx) => {
      const inserted = await insertEvent(tx, event);
      if (!inserted) return undefined;
      const settled = await apply(tx);
      await settleEvent(tx, inserted, settled);
      return settled;
    });
    if (settlement) tellIfOdd(tools, event, settlement);
  });
};

const tellIfOdd = (
  { log }: WebhookTools,
  event: NewEvent,
  { outcome, accountId }: Settlement,
): void => {
  const isOdd = outcome === 'UNMATCHED' || outcome === 'MISMATCH';
  if (isOdd) log.warn({ ...event, outcome, accountId }, 'a billing event changed nothing');
};
