import type { Queryable } from '../../../db/connect.ts';
import type { CurrentMember } from '../../../platform/port.ts';
import { listBlacklisted } from '../../blacklist/queries.ts';
import { passesFilter } from '../rules.ts';

type Filter = Parameters<typeof passesFilter>[1];

/** Those of a page who are to have the role. */
export const listCandidates = async (
  db: Queryable,
  accountId: string,
  members: readonly CurrentMember[],
  filter: Filter,
): Promise<CurrentMember[]> => {
  const passing = members.filter((member) => passesFilter(member, filter));
  if (passing.length === 0) return [];
  const ids = passing.map(({ userId }) => userId);
  const blacklisted = await listBlacklisted(db, accountId, ids);
  return passing.filter(({ userId }) => !blacklisted.has(userId));
};

/** Ids are numbers from 1 on: before all members. */
export const beforeAll = '0';
