import type {
  DashboardEndpoints,
  MemberQuery,
  MemberSort,
  memberEndpoints,
} from '@holdfast/contract';
import type { Database } from '../../db/connect.ts';
import type { Account, Handlers, OwnedServer } from '../../http/handler.ts';
import { createAccountSemaphore } from '../../http/limits/account-concurrency.ts';
import type { Picture } from '../../http/pages/placeholders.ts';
import { listMembers } from './queries/list.ts';
import { countLostMembers } from './queries/lost.ts';

/** A search for a short or frequent term uses one core for as long as it runs. */
const searches = { atOnce: 1, longestWaitMs: 1500 };

type ListRequest = {
  account: Pick<Account, 'accountId'>;
  server: OwnedServer;
  query: MemberQuery & { sort?: MemberSort };
};

const createLister = (picture: Picture) => {
  const limitSearches = createAccountSemaphore(searches);
  return async (db: Database, { account, server, query }: ListRequest) => {
    const list = () => listMembers(db, server, query);
    const { rows, total } = await (query.search === undefined
      ? list()
      : limitSearches(account.accountId, list));
    return {
      total,
      rows: rows.map((member) => ({
        ...member,
        displayName: member.displayName ?? member.username,
        avatar: picture('avatar', member.avatarUrl),
      })),
    };
  };
};

export const memberHandlers = (picture: Picture): Handlers<typeof memberEndpoints> => ({
  listMembers: createLister(picture),
});

export const memberDashboardHandlers = (
  picture: Picture,
): Handlers<Pick<DashboardEndpoints, 'countLostMembers' | 'findMembers'>> => ({
  countLostMembers: (db, { server, query }) => countLostMembers(db, server, query.since),
  findMembers: createLister(picture),
});
