import { expect, test } from 'bun:test';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from 'drizzle-orm/bun-sql/migrator';
import { emptyDatabase } from '../../test/database.ts';
import { expectSoundLedger } from '../../test/ledger-check.ts';
import { newId } from '../kernel/ids.ts';
import { closeDatabase, connectDatabase, type Database } from './connect.ts';

const migrations = join(import.meta.dir, '../../migrations');

/** The database as it was before the ledger had pots. */
const migrateUntilPots = async (db: Database): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-migrations-'));
  await cp(migrations, folder, { recursive: true });
  const path = join(folder, 'meta/_journal.json');
  const journal = JSON.parse(await readFile(path, 'utf8'));
  const entries = journal.entries.slice(
    0,
    journal.entries.findIndex(({ tag }: { tag: string }) => tag.endsWith('ledger_pots')),
  );
  await writeFile(path, JSON.stringify({ ...journal, entries }));
  await migrate(db, { migrationsFolder: folder });
  await rm(folder, { recursive: true });
};

type Move = [type: string, cents: number];

const live = async (db: Database, accountId: string, moves: Move[]): Promise<void> => {
  let balance = 0;
  for (const [type, cents] of moves) {
    const id = newId();
    balance += cents;
    await db.$client.begin(async (tx) => {
      await tx`insert into ledger_transactions (id, type, reference) values (${id}, ${type}, 'then')`;
      await tx`
        insert into ledger_postings (id, transaction_id, account, account_id, amount_cents, currency, balance_cents)
        values (${newId()}, ${id}, ${`user:${accountId}`}, ${accountId}, ${cents}, 'USD', ${balance})`;
      await tx`
        insert into ledger_postings (id, transaction_id, account, amount_cents, currency)
        values (${newId()}, ${id}, 'platform:test', ${-cents}, 'USD')`;
    });
  }
  await db.$client`
    insert into ledger_balances (account_id, currency, balance_cents) values (${accountId}, 'USD', ${balance})`;
};

const potsOf = async (db: Database, accountId: string): Promise<object> => {
  const rows: { pot: string; balance: number }[] = await db.$client`
    select pot, balance_cents::int as balance from ledger_balances where account_id = ${accountId}`;
  return Object.fromEntries(rows.map(({ pot, balance }) => [pot, balance]));
};

const lives: [string, Move[], object][] = [
  ['only refunds', [['REFUND', 500]], { CREDIT: 500 }],
  [
    'only sales',
    [
      ['SALE', 1000],
      ['FEE', -100],
      ['PAYOUT', -400],
    ],
    { EARNED: 500 },
  ],
  [
    'credit that bought something',
    [
      ['REFUND', 800],
      ['PURCHASE', -300],
    ],
    { CREDIT: 500, EARNED: 0 },
  ],
  [
    'earned before credit',
    [
      ['REFUND', 800],
      ['SALE', 200],
      ['PURCHASE', -300],
    ],
    { CREDIT: 700, EARNED: 0 },
  ],
  [
    'a late payment that was taken back after it was spent',
    [
      ['REFUND', 500],
      ['PURCHASE', -400],
      ['SALE', 1000],
      ['ADJUSTMENT', -500],
    ],
    { CREDIT: 0, EARNED: 600 },
  ],
  [
    'a sale that the card provider took back after a payout',
    [
      ['SALE', 1000],
      ['FEE', -100],
      ['PAYOUT', -900],
      ['REFUND', 300],
      ['REFUND', -1000],
      ['FEE', 100],
    ],
    { CREDIT: 300, EARNED: -900 },
  ],
];

test('what was one balance is put into the pot that each entry belongs to', async () => {
  const db = connectDatabase(await emptyDatabase(), { name: 'holdfast-test' });
  try {
    await migrateUntilPots(db);
    const people = lives.map(([name, moves, pots]) => ({ name, moves, pots, accountId: newId() }));
    for (const { accountId, moves } of people) await live(db, accountId, moves);
    await migrate(db, { migrationsFolder: migrations });
    for (const { name, pots, accountId } of people) {
      expect({ name, ...(await potsOf(db, accountId)) }).toEqual({ name, ...pots });
    }
    await expectSoundLedger(db);
  } finally {
    await closeDatabase(db);
  }
}, 60_000);
