import type { ListingQuery } from '@holdfast/contract';
import { type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../../../db/connect.ts';
import { containsPattern, hasTrigram } from '../../../kernel/search-text.ts';
import { listings } from '../table.ts';
import { columnsOf, type ListingPage, orderOf } from './listing-pages.ts';

/** LIKE finds the same under every collation, but an index serves only its own (decision 12). */
const unindexedText = sql`${listings.searchText} collate "C"`;

const contains = (word: string): SQL =>
  sql`${hasTrigram(word) ? listings.searchText : unindexedText} like ${containsPattern(word)}`;

/**
 * Published listings with all of the words. Every match is found before they are sorted, for the total. The
 * matches have the table's name, so that they are sorted by the same columns.
 */
export const findMatches = async (
  db: Queryable,
  { category, sort, page, limit }: ListingQuery,
  words: string[],
): Promise<ListingPage> => {
  const isOfCategory = category ? [sql`${listings.category} = ${category}`] : [];
  const conditions = [listings.isPublished, ...isOfCategory, ...words.map(contains)];
  const [row] = await db.execute(sql`
    with ${listings} as materialized (
      select ${listings.seq}, ${listings.priceCents}, ${listings.salesCount} from ${listings}
      where ${sql.join(conditions, sql` and `)}
    ), found as (
      select ${listings.seq} as seq from ${listings}
      order by ${columnsOf(orderOf[sort])} limit ${limit} offset ${(page - 1) * limit}
    )
    select (select count(*) from ${listings}) as total,
      (select coalesce(array_agg(seq), '{}') from found) as seqs`);
  return { total: Number(row?.total ?? 0), seqs: (row?.seqs ?? []).map(Number) };
};
