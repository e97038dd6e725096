import type { accountEndpoints, Plan, PlanName, Subscription } from '@holdfast/contract';
import type { Handlers } from '../../http/handler.ts';
import type { Picture } from '../../http/placeholders.ts';
import type { Clock } from '../../kernel/clock.ts';
import { notFound } from '../../kernel/errors.ts';
import { findAccount } from './queries.ts';
import { unpaidSubscription } from './rules.ts';

type Tools = { clock: Clock; picture: Picture; limitsOf(plan: PlanName): Plan };

export const accountHandlers = (
  tools: Tools,
): Handlers<Pick<typeof accountEndpoints, 'getAccount'>> => ({
  async getAccount(db, { account: { accountId } }) {
    const { clock, picture, limitsOf } = tools;
    const user = await findAccount(db, accountId);
    if (!user) throw notFound('Account');
    return {
      ...user,
      displayName: user.displayName ?? user.username,
      avatar: picture('avatar', user.avatarUrl),
      _count: { servers: user.servers, customBots: user.customBots, teams: 0 },
      subscription: subscriptionOf(user) ?? unpaidSubscription(clock.now()),
      // Of the plan that is shown: the caller's own may be that of a second ago.
      limits: limitsOf(user.plan),
    };
  },
});

type Account = NonNullable<Awaited<ReturnType<typeof findAccount>>>;

const subscriptionOf = (user: Account): Subscription | undefined => {
  const { givenPlan: plan, status, currentPeriodEnd, isTrial, trialEndsAt, cancelledAt } = user;
  // All of them are there, or none is.
  if (plan === null || status === null || currentPeriodEnd === null) return undefined;
  return { plan, status, currentPeriodEnd, isTrial: isTrial === true, trialEndsAt, cancelledAt };
};
