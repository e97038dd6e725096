import { randomBytes } from 'node:crypto';
import type { KeyScope } from '@holdfast/contract';
import type { Database } from '../../../db/connect.ts';
import { networkOf } from '../../../http/limits/address-limit.ts';
import { sha256Hex } from '../../../kernel/hash.ts';
import { newId, newToken } from '../../../kernel/ids.ts';
import { countAuthorizations, countWaitingOf, insertAuthorization } from '../queries.ts';
import { newUserCode } from '../rules.ts';

/** So many logins of one address may wait for their owner, and so many of all are stored. */
const mostWaitingOfNetwork = 10;
const mostStored = 20_000;

type Request = { machine: string | null; scopes: KeyScope[]; address: string };

type Begun = { deviceCode: string; userCode: string } | 'tooManyOfAddress' | 'tooManyOfAll';

/** Stores what a program asks for, under two new codes: its own, and the one for its owner. */
export const beginAuthorization = async (db: Database, request: Request): Promise<Begun> => {
  if ((await countAuthorizations(db)) >= mostStored) return 'tooManyOfAll';
  const network = networkOf(request.address);
  const deviceCode = newToken();
  return db.transaction(async (tx) => {
    if ((await countWaitingOf(tx, network)) >= mostWaitingOfNetwork) return 'tooManyOfAddress';
    for (;;) {
      const userCode = newUserCode(randomBytes);
      const codes = { deviceCodeHash: sha256Hex(deviceCode), userCode };
      const isStored = await insertAuthorization(tx, {
        ...{ id: newId(), ...codes, ...request, network },
      });
      if (isStored) return { deviceCode, userCode };
    }
  });
};
