import { type KeyRing, type Place, SealBroken } from '../../kernel/seal.ts';
import { Secret } from '../../kernel/secret.ts';

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
  botToken: sealOne(ring, owner, 'botToken', new Secret(credentials.botToken)),
  clientSecret: sealOne(ring, owner, 'clientSecret', new Secret(credentials.clientSecret)),
  sealKeyId: ring.sealingKeyId,
});

export const openCredential = (
  ring: KeyRing,
  bot: Owner & Credentials,
  column: SealedColumn,
): Secret => ring.open(bot[column], placeOf(column, bot));

/**
 * What to store when some credentials are replaced. The others stay as they are, unless the ring
 * seals under another key by now: one row is sealed under one key.
 */
export const replaceCredentials = (
  ring: KeyRing,
  bot: Owner & Credentials & { sealKeyId: string },
  replaced: Partial<Credentials>,
) => {
  const { botToken, clientSecret } = replaced;
  if (botToken === undefined && clientSecret === undefined) return {};
  const kept = (column: SealedColumn): string => {
    const isUnderSameKey = bot.sealKeyId === ring.sealingKeyId;
    return isUnderSameKey
      ? bot[column]
      : sealOne(ring, bot, column, openCredential(ring, bot, column));
  };
  const sealNew = (column: SealedColumn, value: string) =>
    sealOne(ring, bot, column, new Secret(value));
  return {
    botToken: botToken === undefined ? kept('botToken') : sealNew('botToken', botToken),
    clientSecret:
      clientSecret === undefined ? kept('clientSecret') : sealNew('clientSecret', clientSecret),
    sealKeyId: ring.sealingKeyId,
  };
};

/** Whether a credential differs from what is stored; one that does not open any more does. */
export const isNewCredential = (
  ring: KeyRing,
  bot: Owner & Credentials,
  column: SealedColumn,
  value: string,
): boolean => {
  try {
    return openCredential(ring, bot, column).reveal() !== value;
  } catch (error) {
    if (error instanceof SealBroken) return true;
    throw error;
  }
};

const sealOne = (ring: KeyRing, owner: Owner, column: SealedColumn, secret: Secret): string =>
  ring.seal(secret, placeOf(column, owner));

export const resealCredentials = (ring: KeyRing, bot: Owner & Credentials) =>
  sealCredentials(ring, bot, {
    botToken: openCredential(ring, bot, 'botToken').reveal(),
    clientSecret: openCredential(ring, bot, 'clientSecret').reveal(),
  });
