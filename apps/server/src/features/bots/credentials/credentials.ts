import { type KeyRing, type Place, unlessBroken } from '../../../kernel/seal.ts';
import { Secret } from '../../../kernel/secret.ts';

type SealedColumn = 'botToken' | 'clientSecret';

type Owner = { id: string; accountId: string };
type Credentials = Record<SealedColumn, string>;

const placeOf = (column: SealedColumn, { id, accountId }: Owner): Place => ({
  table: 'bots',
  column,
  rowId: id,
  accountId,
});

/** Both credentials of a bot, sealed into their row, and the key they were sealed under. */
export const sealCredentials = (ring: KeyRing, owner: Owner, credentials: Credentials) => ({
  botToken: sealCredential(ring, owner, 'botToken', new Secret(credentials.botToken)),
  clientSecret: sealCredential(ring, owner, 'clientSecret', new Secret(credentials.clientSecret)),
  sealKeyId: ring.sealingKeyId,
});

export const openCredential = <Column extends SealedColumn>(
  ring: KeyRing,
  bot: Owner & Pick<Credentials, Column>,
  column: Column,
): Secret => ring.open(bot[column], placeOf(column, bot));

/**
 * What to store when some credentials are replaced. The others stay as they are, unless the ring seals
 * under another key by now, because a row is sealed under one key.
 */
export const replaceCredentials = (
  ring: KeyRing,
  bot: Owner & Credentials & { sealKeyId: string },
  replaced: Partial<Credentials>,
) => {
  if (replaced.botToken === undefined && replaced.clientSecret === undefined) return {};
  const sealedColumn = (column: SealedColumn): string => {
    const value = replaced[column];
    if (value !== undefined) return sealCredential(ring, bot, column, new Secret(value));
    if (bot.sealKeyId === ring.sealingKeyId) return bot[column];
    return sealCredential(ring, bot, column, openCredential(ring, bot, column));
  };
  return {
    botToken: sealedColumn('botToken'),
    clientSecret: sealedColumn('clientSecret'),
    sealKeyId: ring.sealingKeyId,
  };
};

/** Whether a credential differs from the stored one; true where the stored one does not open. */
export const isNewCredential = (
  ring: KeyRing,
  bot: Owner & Credentials,
  column: SealedColumn,
  value: string,
): boolean => unlessBroken(() => openCredential(ring, bot, column))?.reveal() !== value;

const sealCredential = (
  ring: KeyRing,
  owner: Owner,
  column: SealedColumn,
  secret: Secret,
): string => ring.seal(secret, placeOf(column, owner));

export const resealCredentials = (ring: KeyRing, bot: Owner & Credentials) =>
  sealCredentials(ring, bot, {
    botToken: openCredential(ring, bot, 'botToken').reveal(),
    clientSecret: openCredential(ring, bot, 'clientSecret').reveal(),
  });
