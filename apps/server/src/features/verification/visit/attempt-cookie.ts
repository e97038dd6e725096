import {
  type AddressCounts,
  addressOf,
  createAddressLimit,
} from '../../../http/limits/address-limit.ts';
import { readCookie, writeCookie } from '../../../http/pages/cookies.ts';
import { sha256Hex } from '../../../kernel/hash.ts';
import { newId, newToken } from '../../../kernel/ids.ts';
import type { PageContext, PageRequest } from '../pages/page-context.ts';
import { insertAttempt } from '../queries/attempts.ts';

const countedSeconds = 30 * 60;
const newAttemptsPerMinute = 30;

type ServerId = { id: string };

const cookieOf = ({ id }: ServerId): string => `attempt-${id}`;

/**
 * The attempt's id is derived from the cookie: without the cookie it cannot be guessed, and the cookie
 * of one server gives no id of an attempt for another.
 */
const attemptIdOf = ({ id }: ServerId, token: string): string => {
  const hash = sha256Hex(`${id} ${token}`);
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`];
  return [...parts, `a${hash.slice(17, 20)}`, hash.slice(20, 32)].join('-');
};

/** Counts one attempt per browser and half an hour, and only so many per address. */
export const createVisitCounter = (counts: AddressCounts) => {
  const mayCount = createAddressLimit('verify.visit', newAttemptsPerMinute, counts);

  return async (request: PageRequest): Promise<void> => {
    const { context, server, db, ipData } = request;
    if (readCookie(context, cookieOf(server)) !== undefined) return;
    const address = addressOf(context, request);
    if (!(await mayCount(address))) return;
    const token = newToken();
    writeCookie(context, cookieOf(server), token, countedSeconds);
    const { country, region, asn } = ipData.lookUp(address);
    const { id: serverId, accountId } = server;
    const id = attemptIdOf(server, token);
    await insertAttempt(db, { id, accountId, serverId, country, region, asn });
  };
};

/** The attempt of this browser. One that was not counted gets an id that no row has. */
export const attemptOf = (context: PageContext, server: ServerId): string => {
  const token = readCookie(context, cookieOf(server));
  return token === undefined ? newId() : attemptIdOf(server, token);
};
