import { PermissionFlagsBits } from 'discord-api-types/v10';

/** Such as `SEND_TTS_MESSAGES` for `SendTTSMessages`. */
const toPlatformName = (key: string): string =>
  key
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toUpperCase();

const named = Object.entries(PermissionFlagsBits).map(([key, bit]): [string, bigint] => [
  toPlatformName(key),
  bit,
]);

/** By bit. Of two names of one bit the library lists the present one last. */
const nameOfBit = new Map(named.map(([name, bit]) => [bit, name]));
const bitOfName = new Map(named);

/** The platform's names of the permissions in a set, lowest bit first. */
export const permissionNames = (permissions: string | bigint): string[] => {
  const names: string[] = [];
  let bit = 1n;
  for (let left = BigInt(permissions); left > 0n; left >>= 1n) {
    if (left & 1n) names.push(nameOfBit.get(bit) ?? `UNKNOWN_${bit.toString(2).length - 1}`);
    bit <<= 1n;
  }
  return names;
};

/** The bit of a name, also of one that `permissionNames` made up; undefined where there is none. */
export const permissionBit = (name: string): bigint | undefined => {
  const [, position] = /^UNKNOWN_(\d{1,2})$/.exec(name) ?? [];
  return position === undefined ? bitOfName.get(name) : 1n << BigInt(position);
};
