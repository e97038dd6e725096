import { randomBytes } from 'node:crypto';
import type { KeyScope } from '@holdfast/contract';
import type { Database, Transaction } from '../../../db/connect.ts';
import { networkOf, siteOf } from '../../../http/limits/address-limit.ts';
import { sha256Hex } from '../../../kernel/hash.ts';
import { newId, newToken } from '../../../kernel/ids.ts';
import {
  countWaiting,
  countWaitingOfNetwork,
  countWaitingOfSite,
  insertAuthorization,
} from '../queries.ts';
import { newUserCode } from '../rules.ts';

/** So many logins may wait for their owners: of one address, of one site of IPv6, and of all. */
const mostWaitingOfNetwork = 10;
const mostWaitingOfSite = 100;
const mostWaiting = 20_000;

type Request = { machine: string | null; scopes: KeyScope[]; address: string };

type Begun = { deviceCode: string; userCode: string } | 'tooManyOfAddress' | 'tooManyOfAll';

/** Stores what a program asks for, under two new codes: its own, and the one for its owner. */
export const beginAuthorization = async (db: Database, request: Request): Promise<Begun> => {
  if ((await countWaiting(db)) >= mostWaiting) return 'tooManyOfAll';
  const place = { network: networkOf(request.address), site: siteOf(request.address) };
  const deviceCode = newToken();
  return db.transaction(async (tx) => {
    if (!(await hasRoom(tx, place))) return 'tooManyOfAddress';
    for (;;) {
      const userCode = newUserCode(randomBytes);
      const codes = { deviceCodeHash: sha256Hex(deviceCode), userCode };
      const isStored = await insertAuthorization(tx, {
        ...{ id: newId(), ...codes, ...request, ...place },
      });
      if (isStored) return { deviceCode, userCode };
    }
  });
};

type Place = { network: string; site: string | null };

const hasRoom = async (tx: Transaction, { network, site }: Place): Promise<boolean> => {
  const ofSite = site === null ? 0 : await countWaitingOfSite(tx, site);
  if (ofSite >= mostWaitingOfSite) return false;
  return (await countWaitingOfNetwork(tx, network)) < mostWaitingOfNetwork;
};
