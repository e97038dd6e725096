import type { KeyRing, Place } from '../../kernel/seal.ts';
import { Secret } from '../../kernel/secret.ts';

export const sealedColumns = ['botToken', 'clientSecret'] as const;
export type SealedColumn = (typeof sealedColumns)[number];

type Owner = { id: string; userId: string };
type Credentials = Record<SealedColumn, string>;

const placeOf = (column: SealedColumn, { id, userId }: Owner): Place => ({
  table: 'bots',
  column,
  rowId: id,
  accountId: userId,
});

/** Both credentials of a bot, sealed into their row, and the key they were sealed under. */
export const sealCredentials = (ring: KeyRing, owner: Owner, credentials: Credentials) => ({
  botToken: ring.seal(new Secret(credentials.botToken), placeOf('botToken', owner)),
  clientSecret: ring.seal(new Secret(credentials.clientSecret), placeOf('clientSecret', owner)),
  sealKeyId: ring.sealingKeyId,
});

export const openCredential = (
  ring: KeyRing,
  bot: Owner & Credentials,
  column: SealedColumn,
): Secret => ring.open(bot[column], placeOf(column, bot));

export const resealCredentials = (ring: KeyRing, bot: Owner & Credentials) =>
  sealCredentials(ring, bot, {
    botToken: openCredential(ring, bot, 'botToken').reveal(),
    clientSecret: openCredential(ring, bot, 'clientSecret').reveal(),
  });
