import type { accountEndpoints } from '@holdfast/contract';
import type { Handlers } from '../../http/handler.ts';
import type { Picture } from '../../http/placeholders.ts';
import type { Clock } from '../../kernel/clock.ts';
import { notFound } from '../../kernel/errors.ts';
import { findAccount } from './queries.ts';
import { unpaidSubscription } from './rules.ts';

type Tools = { clock: Clock; picture: Picture };

export const accountHandlers = ({ clock, picture }: Tools): Handlers<typeof accountEndpoints> => ({
  async getAccount(db, { account: { userId, limits } }) {
    const user = await findAccount(db, userId);
    if (!user) throw notFound('Account');
    return {
      ...user,
      displayName: user.displayName ?? user.username,
      avatar: picture('avatar', user.avatarUrl),
      _count: { servers: user.servers, customBots: user.customBots, teams: 0 },
      subscription: unpaidSubscription(clock.now()),
      limits,
    };
  },
});
