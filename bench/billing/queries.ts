import type { SQL } from 'bun';

/** The rows that one event leaves: its own, its subscription's, and the audit entry with its chain's end. */
export type EventRows = {
  event: Record<string, unknown>;
  subscription: { id: string; facts: object; currentPeriodEnd: Date };
  entry: Record<string, unknown> & { account_id: string; seq: number; hash: string };
};

export const insertUsers = async (sql: SQL, ids: readonly string[]): Promise<void> => {
  const rows = ids.map((id, at) => ({ id, platform_id: `77${at}`, username: `payer-${at}` }));
  await sql`insert into accounts ${sql(rows)}`;
};

/** The rows that the service writes, in one transaction and without a check. */
export const writeBare = (sql: SQL, { event, subscription, entry }: EventRows): Promise<void> =>
  sql.begin(async (tx) => {
    await tx`insert into billing_events ${tx(event)}`;
    await tx`
      update subscriptions
      set facts = ${subscription.facts}, current_period_end = ${subscription.currentPeriodEnd},
        updated_at = now()
      where id = ${subscription.id}`;
    await tx`insert into audit_entries ${tx(entry)}`;
    await tx`
      update audit_heads set seq = ${entry.seq}, hash = ${entry.hash}
      where account_id = ${entry.account_id}`;
  });

export const listSubscriptions = (
  sql: SQL,
): Promise<{ id: string; provider_ref: string; account_id: string; seq: string }[]> => sql`
  select subscriptions.id, provider_ref, subscriptions.account_id, seq
  from subscriptions join audit_heads on audit_heads.account_id = subscriptions.account_id`;

export const countEvents = async (sql: SQL, outcome: string): Promise<number> => {
  const [row] = await sql`
    select count(*)::int as total from billing_events where outcome = ${outcome}`;
  return row.total;
};
