import type { DashboardEndpoints, memberEndpoints } from '@holdfast/contract';
import type { Handlers } from '../../http/handler.ts';
import { createAccountSemaphore } from '../../http/limits/account-concurrency.ts';
import type { Picture } from '../../http/pages/placeholders.ts';
import { listMembers } from './queries/list.ts';
import { countLostMembers } from './queries/lost.ts';

/** A search for a short or frequent term uses one core for as long as it runs. */
const searches = { atOnce: 1, longestWaitMs: 1500 };

export const memberHandlers = (picture: Picture): Handlers<typeof memberEndpoints> => {
  const limitSearches = createAccountSemaphore(searches);
  return {
    async listMembers(db, { account, server, query }) {
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
    },
  };
};

export const memberDashboardHandlers: Handlers<Pick<DashboardEndpoints, 'countLostMembers'>> = {
  countLostMembers: (db, { server, query }) => countLostMembers(db, server, query.since),
};
