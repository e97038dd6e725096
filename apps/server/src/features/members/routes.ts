import type { memberEndpoints } from '@holdfast/contract';
import type { Handlers } from '../../http/handler.ts';
import type { Picture } from '../../http/placeholders.ts';
import { createTurns } from '../../http/turns.ts';
import { listMembers } from './queries.ts';

/** A search whose term is short or in most names takes one core for as long as it runs. */
const searches = { atOnce: 1, longestWaitMs: 1500 };

export const memberHandlers = (picture: Picture): Handlers<typeof memberEndpoints> => {
  const searchInTurn = createTurns(searches);
  return {
    async listMembers(db, { account, server, query }) {
      const list = () => listMembers(db, server, query);
      const { rows, total } = await (query.search === undefined
        ? list()
        : searchInTurn(account.accountId, list));
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
