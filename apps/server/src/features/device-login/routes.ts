import type { DashboardEndpoints } from '@holdfast/contract';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Queryable } from '../../db/connect.ts';
import type { Handlers } from '../../http/handler.ts';
import {
  conflict,
  forbidden,
  invalidField,
  notFound,
  tooManyWrongCodes,
} from '../../kernel/errors.ts';
import { recordAudit } from '../audit/queries.ts';
import { hasRoomForKey } from '../keys/queries.ts';
import { tooManyKeys } from '../keys/rules.ts';
import { approveAuthorization, denyAuthorization, findByUserCode } from './queries.ts';
import { findBeyond, keyNameOf, normalizeUserCode, showUserCode } from './rules.ts';

type DeviceLoginEndpoints = Pick<
  DashboardEndpoints,
  'findDeviceAuthorization' | 'approveDeviceAuthorization' | 'denyDeviceAuthorization'
>;

export const deviceLoginHandlers = (): Handlers<DeviceLoginEndpoints> => {
  const findWaiting = createSearch();
  return {
    async findDeviceAuthorization(db, { account, query }) {
      const { userCode, machine, ...found } = await findWaiting(db, account.accountId, query.code);
      const keyName = keyNameOf(machine);
      return { ...found, userCode: showUserCode(userCode), machine, keyName };
    },

    async approveDeviceAuthorization(tx, { account: { accountId }, actor, caller, body }) {
      const found = await findWaiting(tx, accountId, body.code);
      const beyond = findBeyond(found.scopes, body.scopes);
      if (beyond) throw invalidField('scopes', `It did not ask for ${beyond}`);
      // Counted again when the key is made: this only says so while the owner is still looking.
      if (!(await hasRoomForKey(tx, accountId))) throw forbidden(tooManyKeys);
      const approval = { accountId, sessionId: caller.id, scopes: body.scopes, keyDays: body.days };
      if (!(await approveAuthorization(tx, found.userCode, approval))) throw used();
      const keyName = keyNameOf(found.machine);
      const { scopes, days } = body;
      await recordAudit(tx, {
        accountId,
        actor,
        action: 'deviceLogin.approve',
        subject: { type: 'deviceLogin', id: null },
        changes: { keyName, scopes, days },
      });
      return { keyName };
    },

    async denyDeviceAuthorization(tx, { account: { accountId }, actor, body }) {
      const { userCode, machine } = await findWaiting(tx, accountId, body.code);
      if (!(await denyAuthorization(tx, userCode))) throw used();
      await recordAudit(tx, {
        accountId,
        actor,
        action: 'deviceLogin.deny',
        subject: { type: 'deviceLogin', id: null },
        changes: { keyName: keyNameOf(machine) },
      });
      return { denied: true };
    },
  };
};

const used = () =>
  conflict('This code was used already: if your program got no key, begin again there');

const guesses = { points: 20, duration: 15 * 60 };

/**
 * Finds what waits under a code. An account has so many wrong codes in each process; all that find nothing to
 * decide count as wrong. A search counts before it is made, so that many at once are no way around it.
 */
const createSearch = () => {
  const limiter = new RateLimiterMemory(guesses);
  return async (db: Queryable, accountId: string, typed: string) => {
    const { consumedPoints, msBeforeNext } = await limiter.penalty(accountId);
    if (consumedPoints > guesses.points) throw tooManyWrongCodes(Math.ceil(msBeforeNext / 1000));
    const code = normalizeUserCode(typed);
    const found = code && (await findByUserCode(db, code));
    if (!found) throw notFound('Code');
    if (found.isUsed) throw used();
    if (found.isExpired) throw conflict('This code has expired: begin again in your program');
    await limiter.reward(accountId);
    return found;
  };
};
