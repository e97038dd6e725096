import type { SQL } from 'bun';

/** Few at a time: the database counts along with each statement. */
const rowsAtATime = 10_000;

/**
 * Listings as a market has them: most never sold, a few sold often; some prices that many ask for, and
 * many that one does.
 */
export const insertListings = async (
  sql: SQL,
  { sellerId, count }: { sellerId: string; count: number },
): Promise<void> => {
  for (let from = 0; from < count; from += rowsAtATime) {
    const rows = Math.min(rowsAtATime, count - from);
    await sql`
      insert into listings (id, seller_id, title, description, category, price_cents, currency,
        is_published, sales_count)
      select gen_random_uuid(), ${sellerId}, 'Listing ' || i, repeat('What it is. ', 20),
        (array['TEMPLATE', 'DESIGN', 'BOT', 'SERVICE'])[1 + i % 4],
        case i % 3 when 0 then (array[0, 500, 999, 1500])[1 + (random() * 3)::int]
          else (random() * 50000)::int end,
        'USD', true, case when i % 5 < 3 then 0 else floor(exp(random() * 8)) end
      from generate_series(${from + 1}::int, ${from + rows}::int) as i`;
  }
  await sql`vacuum (analyze) listings`.simple();
  await sql`vacuum (analyze) listing_counts`.simple();
  await sql`checkpoint`.simple();
};
