import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { Secret } from './secret.ts';

/**
 * Secrets at rest: AES-256-GCM under a ring of master keys. The first key of the ring seals, all of them
 * open. The place (table, column, row, account) is authenticated, so that a ciphertext moved to another
 * row, column or account does not open there. Each account has its own key, derived from the master key,
 * so that no key is used for too many random nonces.
 *
 * Text format: `s1.<key id>.<nonce>.<ciphertext and tag>`, the last two in base64url. Bytes have a binary
 * format: one marker byte, the length of the key id, the key id, nonce, ciphertext and tag. Neither opens
 * as the other.
 */
export type Place = { table: string; column: string; rowId: string; accountId: string };

export type KeyRing = {
  /** The id of the key that seals. */
  readonly sealingKeyId: string;
  readonly keyIds: readonly string[];
  seal(secret: Secret, place: Place): string;
  /** Under a given key of the ring. */
  sealUnder(keyId: string, secret: Secret, place: Place): string;
  open(sealed: string, place: Place): Secret;
  sealBytes(bytes: Uint8Array, place: Place): Buffer;
  openBytes(sealed: Uint8Array, place: Place): Buffer;
  /** A tag that only a holder of the key can make: `m1.<key id>.<HMAC>`. Each purpose has a key of its own. */
  authenticate(bytes: Uint8Array, purpose: string): string;
  isAuthentic(bytes: Uint8Array, tag: string, purpose: string): boolean;
};

/** It cannot be opened here: moved, altered, or sealed under a key that is not in the ring. */
export class SealBroken extends Error {
  constructor(reason: string, place: Place) {
    super(`Cannot open ${place.table}.${place.column} of row ${place.rowId}: ${reason}`);
    this.name = 'SealBroken';
  }
}

/** Undefined where the seal is broken; any other error is thrown. */
export const unlessBroken = <Opened>(open: () => Opened): Opened | undefined => {
  try {
    return open();
  } catch (error) {
    if (error instanceof SealBroken) return undefined;
    throw error;
  }
};

const version = 's1';
const bytesVersion = 'b1';
const bytesMark = 0xb1;
const tagVersion = 'm1';
const nonceBytes = 12;
const tagBytes = 16;

/** Reads `id:base64,id:base64`; the first key seals. */
export const parseKeyRing = (text: string): KeyRing => {
  const keys = text.split(',').map((entry) => parseMasterKey(entry.trim()));
  const ids = keys.map(([id]) => id);
  if (new Set(ids).size < ids.length) throw new Error('MASTER_KEYS names a key id twice');
  return createKeyRing(new Map(keys));
};

const parseMasterKey = (entry: string): [string, Buffer] => {
  const [id = '', encoded = ''] = entry.split(':');
  const key = Buffer.from(encoded, 'base64');
  if (!/^[A-Za-z0-9_-]{1,32}$/.test(id) || key.length !== 32) {
    throw new Error('MASTER_KEYS must be id:key[,id:key …], each key 32 bytes in base64');
  }
  return [id, key];
};

/** A new ring of one key, whose id is derived from the key. */
export const generateMasterKey = (): string => {
  const key = randomBytes(32);
  const id = createHash('sha256').update(key).digest('hex').slice(0, 8);
  return `${id}:${key.toString('base64')}`;
};

/** Also of a tag. */
export const sealedKeyId = (sealed: string): string => sealed.split('.')[1] ?? '';

/** Empty for bytes that are not sealed. */
export const sealedBytesKeyId = (sealed: Uint8Array): string => {
  const [mark, idLength = 0] = sealed;
  return mark === bytesMark ? Buffer.from(sealed.subarray(2, 2 + idLength)).toString('latin1') : '';
};

const createKeyRing = (masterKeys: Map<string, Buffer>): KeyRing => {
  const [sealingKeyId = ''] = masterKeys.keys();

  const accountKey = (keyId: string, place: Place): Uint8Array => {
    const master = masterKeys.get(keyId);
    if (!master) throw new SealBroken(`key ${keyId} is not in the ring`, place);
    return new Uint8Array(hkdfSync('sha256', master, '', `holdfast/seal/${place.accountId}`, 32));
  };

  const sealUnder = (keyId: string, secret: Secret, place: Place): string => {
    const key = accountKey(keyId, place);
    const bound = boundTo(version, keyId, place);
    const [nonce, ...body] = encrypt(key, bound, Buffer.from(secret.reveal(), 'utf8'));
    const parts = [version, keyId, nonce.toString('base64url')];
    return [...parts, Buffer.concat(body).toString('base64url')].join('.');
  };

  return {
    sealingKeyId,
    keyIds: [...masterKeys.keys()],
    seal: (secret, place) => sealUnder(sealingKeyId, secret, place),
    sealUnder,
    open(sealed, place) {
      const [form, keyId = '', nonce = '', body = ''] = sealed.split('.');
      if (form !== version) throw new SealBroken('unknown form', place);
      const key = accountKey(keyId, place);
      const parts = [Buffer.from(nonce, 'base64url'), Buffer.from(body, 'base64url')] as const;
      return new Secret(
        decrypt(key, boundTo(version, keyId, place), parts, place).toString('utf8'),
      );
    },
    sealBytes(bytes, place) {
      const key = accountKey(sealingKeyId, place);
      const header = Buffer.from([bytesMark, sealingKeyId.length]);
      const body = encrypt(key, boundTo(bytesVersion, sealingKeyId, place), bytes);
      return Buffer.concat([header, Buffer.from(sealingKeyId, 'latin1'), ...body]);
    },
    openBytes(sealed, place) {
      if (sealed[0] !== bytesMark) throw new SealBroken('unknown form', place);
      const keyId = sealedBytesKeyId(sealed);
      const key = accountKey(keyId, place);
      const rest = sealed.subarray(2 + keyId.length);
      const parts = [rest.subarray(0, nonceBytes), rest.subarray(nonceBytes)] as const;
      return decrypt(key, boundTo(bytesVersion, keyId, place), parts, place);
    },
    authenticate(bytes, purpose) {
      const master = masterKeys.get(sealingKeyId);
      if (!master) throw new TypeError('The ring has no key');
      const mac = macOf(master, purpose, bytes);
      return [tagVersion, sealingKeyId, mac.toString('base64url')].join('.');
    },
    isAuthentic(bytes, tag, purpose) {
      const [form, keyId = '', given = ''] = tag.split('.');
      const master = masterKeys.get(keyId);
      if (form !== tagVersion || !master) return false;
      const mac = Buffer.from(given, 'base64url');
      const expected = macOf(master, purpose, bytes);
      return mac.length === expected.length && timingSafeEqual(mac, expected);
    },
  };
};

const macOf = (master: Buffer, purpose: string, bytes: Uint8Array): Buffer => {
  const key = hkdfSync('sha256', master, '', `holdfast/authenticate/${purpose}`, 32);
  return createHmac('sha256', new Uint8Array(key)).update(bytes).digest();
};

/** Nonce, ciphertext, tag. */
const encrypt = (key: Uint8Array, bound: Buffer, plain: Uint8Array): [Buffer, Buffer, Buffer] => {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(bound);
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return [nonce, body, cipher.getAuthTag()];
};

const decrypt = (
  key: Uint8Array,
  bound: Buffer,
  [nonce, body]: readonly [Uint8Array, Uint8Array],
  place: Place,
): Buffer => {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
    decipher.setAAD(bound);
    decipher.setAuthTag(body.subarray(-tagBytes));
    return Buffer.concat([decipher.update(body.subarray(0, -tagBytes)), decipher.final()]);
  } catch {
    throw new SealBroken('altered, or sealed elsewhere or under another key', place);
  }
};

const boundTo = (form: string, keyId: string, place: Place): Buffer => {
  const { table, column, rowId, accountId } = place;
  return Buffer.from(JSON.stringify([form, keyId, table, column, rowId, accountId]));
};
