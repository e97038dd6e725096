import type { memberEndpoints } from '@holdfast/contract';
import type { Handlers } from '../../http/handler.ts';
import type { Picture } from '../../http/placeholders.ts';
import { listMembers } from './queries.ts';

export const memberHandlers = (picture: Picture): Handlers<typeof memberEndpoints> => ({
  async listMembers(db, { server, query }) {
    const { rows, total } = await listMembers(db, server, query);
    return {
      total,
      rows: rows.map((member) => ({
        ...member,
        displayName: member.displayName ?? member.username,
        avatar: picture('avatar', member.avatarUrl),
      })),
    };
  },
});
