import { addressOf, createAddressLimit } from '../../../http/pages/address-limit.ts';
import { newToken, readCookie, writeCookie } from '../../../http/pages/cookies.ts';
import { newId } from '../../../kernel/ids.ts';
import { sha256Hex } from '../../../kernel/sha256.ts';
import { insertAttempt } from '../attempts/queries.ts';
import type { Door } from '../queries.ts';
import type { VerificationTools } from '../tools.ts';
import type { PageContext } from '../with-door.ts';

const countedSeconds = 30 * 60;
const newAttemptsPerMinute = 30;

const cookieOf = ({ id }: Door): string => `attempt-${id}`;

/**
 * The attempt's id is made from the cookie rather than kept in it: whoever does not have the cookie
 * cannot name the attempt, and one server's cookie names nothing at another.
 */
const attemptIdOf = ({ id }: Door, token: string): string => {
  const hash = sha256Hex(`${id} ${token}`);
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`];
  return [...parts, `a${hash.slice(17, 20)}`, hash.slice(20, 32)].join('-');
};

/** Counts visits: one for each browser in half an hour, and no flood from one address. */
export const createVisitCounter = () => {
  const mayCount = createAddressLimit(newAttemptsPerMinute);

  return async (context: PageContext, door: Door, tools: VerificationTools): Promise<void> => {
    if (readCookie(context, cookieOf(door)) !== undefined) return;
    const address = addressOf(context, tools);
    if (!(await mayCount(address))) return;
    const token = newToken();
    writeCookie(context, cookieOf(door), token, countedSeconds);
    const { country, region, asn } = tools.ipData.look(address);
    const { id: serverId, accountId } = door;
    const id = attemptIdOf(door, token);
    await insertAttempt(tools.db, { id, accountId, serverId, country, region, asn });
  };
};

/** The attempt this browser is at; one that was not counted gets an id that stands for nothing. */
export const attemptOf = (context: PageContext, door: Door): string => {
  const token = readCookie(context, cookieOf(door));
  return token === undefined ? newId() : attemptIdOf(door, token);
};
