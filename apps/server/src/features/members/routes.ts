import type { memberEndpoints } from '@holdfast/contract';
import type { Handlers } from '../../http/handler.ts';
import type { Picture } from '../../http/placeholders.ts';
import { createTurns } from '../../http/turns.ts';
import { listMembers } from './queries.ts';
import { hasTrigram } from './rules.ts';

/** A search that reads all names of a server takes one core for as long as it runs. */
const scans = { atOnce: 1, longestWaitMs: 1500 };

export const memberHandlers = (picture: Picture): Handlers<typeof memberEndpoints> => {
  const scanInTurn = createTurns(scans);
  return {
    async listMembers(db, { account, server, query }) {
      const list = () => listMembers(db, server, query);
      const isScan = query.search !== undefined && !hasTrigram(query.search);
      const { rows, total } = await (isScan ? scanInTurn(account.userId, list) : list());
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
