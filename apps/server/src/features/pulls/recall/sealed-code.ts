import type { Database } from '../../../db/connect.ts';
import { rewrapRows } from '../../../db/sealed/rewrap.ts';
import type { KeyRing, Place, SealBroken } from '../../../kernel/seal.ts';
import { Secret } from '../../../kernel/secret.ts';
import { lockRecallsToRewrap, storeResealedCode } from './queries.ts';

type Owner = { id: string; accountId: string };

const placeOf = ({ id, accountId }: Owner): Place => ({
  table: 'pull_recalls',
  column: 'code',
  rowId: id,
  accountId,
});

export const sealCode = (ring: KeyRing, owner: Owner, code: string) => ({
  code: ring.seal(new Secret(code), placeOf(owner)),
  sealKeyId: ring.sealingKeyId,
});

export const openCode = (ring: KeyRing, row: Owner & { code: string }): string =>
  ring.open(row.code, placeOf(row)).reveal();

/** Seals every code under the ring's first key; those that do not open stay as they are. */
export const rewrapRecalls = (
  db: Database,
  ring: KeyRing,
  onBroken: (error: SealBroken) => void,
): Promise<number> =>
  rewrapRows<Owner & { code: string }>(
    db,
    {
      rowsAtATime: 100,
      idOf: ({ id }) => id,
      lock: (tx, page) => lockRecallsToRewrap(tx, ring.sealingKeyId, page),
      reseal: (tx, row) => storeResealedCode(tx, row, sealCode(ring, row, openCode(ring, row))),
    },
    { onBroken },
  );
