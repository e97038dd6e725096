import { createHmac, randomUUID } from 'node:crypto';
import { SQL } from 'bun';
import { type Connection, openConnection } from '../lib/connection.ts';
import { type Bench, billingSecret } from '../lib/environment.ts';
import { print, printTable, verdict } from '../lib/print.ts';
import { median } from '../lib/statistics.ts';
import {
  countEvents,
  type EventRows,
  insertUsers,
  listSubscriptions,
  writeBare,
} from './queries.ts';

const goal = 0.5;
const payers = 200;
/** As many as the service has to its database. */
const connections = 12;
const eventsPerRound = 1500;
const warmUpRounds = 3;
const rounds = 9;
/** Counted in the database's log, without begin and commit. */
const statements = { service: 5, bare: 4 };

type Subscription = { id: string; ref: string; accountId: string; seq: number };

/** How fast events of the card provider are taken: each checked, applied once, audited. */
export const measureBilling = async (bench: Bench): Promise<void> => {
  const wires = await Promise.all(
    Array.from({ length: connections }, () => openConnection(bench.service.url)),
  );
  const sql = new SQL(bench.databaseUrl, { max: connections });
  try {
    const subscriptions = await subscribe(bench, wires);
    const seen: { service: number[]; bare: number[] } = { service: [], bare: [] };
    for (let round = 0; round < warmUpRounds + rounds; round++) {
      const service = await measureService(bench, wires, subscriptions);
      const bare = await measureBare(sql, subscriptions);
      if (round < warmUpRounds) continue;
      seen.service.push(service);
      seen.bare.push(bare);
    }
    await checkApplied(bench);
    report(seen);
  } finally {
    for (const wire of wires) wire.close();
    await sql.close();
  }
};

let lastSecond = 1_700_000_000;

const eventText = (type: string, object: object): string => {
  lastSecond += 1;
  const id = `evt_${randomUUID()}`;
  const body = JSON.stringify({ id, object: 'event', type, created: lastSecond, data: { object } });
  const at = Math.floor(Date.now() / 1000);
  const v1 = createHmac('sha256', billingSecret).update(`${at}.${body}`).digest('hex');
  return [
    'POST /api/billing/webhook HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json',
    `Billing-Signature: t=${at},v1=${v1}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  ].join('\r\n');
};

const customerOf = (ref: string): string => ref.replace('sub', 'cus');

const subscribe = async (bench: Bench, wires: Connection[]): Promise<Subscription[]> => {
  const ids = Array.from({ length: payers }, () => randomUUID());
  await insertUsers(bench.sql, ids);
  await sendAll(
    wires,
    ids.map((accountId, at) => {
      const ref = `sub_bench${at}`;
      const customer = customerOf(ref);
      const whose = { client_reference_id: accountId, metadata: { plan: 'PREMIUM' } };
      const session = { mode: 'subscription', payment_status: 'paid', customer, ...whose };
      return eventText('checkout.session.completed', { ...session, subscription: ref });
    }),
  );
  const made = await listSubscriptions(bench.sql);
  return made.map(({ id, provider_ref: ref, account_id: accountId, seq }) => ({
    ...{ id, ref, accountId, seq: Number(seq) },
  }));
};

/** Events a second; they are written and signed before the clock starts. */
const measureService = async (
  bench: Bench,
  wires: Connection[],
  subscriptions: Subscription[],
): Promise<number> => {
  const texts = Array.from({ length: eventsPerRound }, (_, at) =>
    paymentText(subscriptions[at % payers]),
  );
  const startedAt = performance.now();
  await sendAll(wires, texts);
  const perSecond = (eventsPerRound / (performance.now() - startedAt)) * 1000;
  await refreshSeqs(bench, subscriptions);
  return perSecond;
};

const paymentText = ({ ref }: Subscription = { id: '', ref: '', accountId: '', seq: 0 }): string =>
  eventText('invoice.payment_succeeded', {
    ...{ id: `in_${randomUUID()}`, customer: customerOf(ref) },
    parent: { subscription_details: { subscription: ref } },
    lines: { data: [{ period: { end: lastSecond + 2_592_000 } }] },
  });

const sendAll = async (wires: Connection[], texts: string[]): Promise<void> => {
  const waiting = texts.values();
  await Promise.all(
    wires.map(async (wire) => {
      for (const text of waiting) {
        const { status, body } = await wire.send(text);
        if (status !== 200) throw new Error(`An event was not taken: ${status} ${body}`);
      }
    }),
  );
};

/** Where each audit chain stands now: the other side goes on from there. */
const refreshSeqs = async (bench: Bench, subscriptions: Subscription[]): Promise<void> => {
  const now = new Map((await listSubscriptions(bench.sql)).map(({ id, seq }) => [id, Number(seq)]));
  for (const subscription of subscriptions) {
    subscription.seq = now.get(subscription.id) ?? subscription.seq;
  }
};

const measureBare = async (sql: SQL, subscriptions: Subscription[]): Promise<number> => {
  const rows = Array.from({ length: eventsPerRound }, (_, at) =>
    rowsFor(subscriptions[at % payers]),
  );
  const waiting = rows.values();
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: connections }, async () => {
      for (const row of waiting) await writeBare(sql, row);
    }),
  );
  return (eventsPerRound / (performance.now() - startedAt)) * 1000;
};

const rowsFor = (
  subscription: Subscription = { id: '', ref: '', accountId: '', seq: 0 },
): EventRows => {
  lastSecond += 1;
  const { id, ref, accountId } = subscription;
  subscription.seq += 1;
  const { seq } = subscription;
  const providerEventId = `evt_${randomUUID()}`;
  const hash = createHmac('sha256', 'bench').update(providerEventId).digest('hex');
  const type = 'invoice.payment_succeeded';
  const periodEnd = lastSecond + 2_592_000;
  return {
    event: {
      ...{ id: Bun.randomUUIDv7(), provider: 'CARD', provider_event_id: providerEventId, type },
      ...{ outcome: 'APPLIED', account_id: accountId, subject_ref: ref },
    },
    subscription: {
      id,
      facts: {
        ...{ goodAt: lastSecond, invoicePeriodEnd: periodEnd, failures: [] },
        plan: { at: 1_700_000_000, name: 'PREMIUM' },
        status: { at: 1_700_000_000, name: 'ACTIVE' },
        checkout: { at: 1_700_000_000, isPaid: true },
      },
      currentPeriodEnd: new Date(periodEnd * 1000),
    },
    entry: {
      ...{ account_id: accountId, seq, id: Bun.randomUUIDv7(), at: new Date() },
      ...{ actor_type: 'BILLING', actor_id: null, action: 'subscription.renew' },
      ...{ subject_type: 'subscription', subject_id: id, prev_hash: hash, hash },
      changes: { events: [providerEventId] },
    },
  };
};

/** A side that did not write its rows fails the run. */
const checkApplied = async (bench: Bench): Promise<void> => {
  const wanted = payers + 2 * eventsPerRound * (warmUpRounds + rounds);
  const applied = await countEvents(bench.sql, 'APPLIED');
  if (applied !== wanted) throw new Error(`Of ${wanted} events ${applied} were applied`);
};

const report = (seen: { service: number[]; bare: number[] }): void => {
  print(
    `billing: ${rounds} alternating rounds of ${eventsPerRound} events, ${connections} at a time`,
  );
  printTable(
    ['', 'events/s', 'statements'],
    [
      ['POST /api/billing/webhook', median(seen.service).toFixed(0), String(statements.service)],
      ['the same rows, bare', median(seen.bare).toFixed(0), String(statements.bare)],
    ],
  );
  const ratio = median(seen.service.map((perSecond, i) => perSecond / (seen.bare[i] ?? 0)));
  print(`  ratio ${ratio.toFixed(2)}, goal ≥ ${goal}: ${verdict(ratio >= goal)}\n`);
};
