import { PermissionFlagsBits } from 'discord-api-types/v10';

/** Such as `SEND_TTS_MESSAGES` for `SendTTSMessages`. */
const toPlatformName = (key: string): string =>
  key
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toUpperCase();

function positionOf(bit: bigint): number {
  return bit.toString(2).length - 1;
}

const named = Object.entries(PermissionFlagsBits).map(([key, bit]): [string, bigint] => [
  toPlatformName(key),
  bit,
]);

/** By the position of the bit. Of two names of one bit the library lists the present one last. */
const nameAt = new Map(named.map(([name, bit]) => [positionOf(bit), name]));
const bitOfName = new Map(named);

/** The platform's names of the permissions in a set, lowest bit first. */
export const permissionNames = (permissions: string | bigint): string[] => {
  const names: string[] = [];
  // By words of 32 bits, with plain numbers: a guild can have a hundred thousand sets.
  let from = 0;
  for (let left = BigInt(permissions); left > 0n; left >>= 32n) {
    for (let word = Number(left & 0xffff_ffffn); word > 0; ) {
      const bit = 31 - Math.clz32(word & -word);
      names.push(nameAt.get(from + bit) ?? `UNKNOWN_${from + bit}`);
      word = (word & (word - 1)) >>> 0;
    }
    from += 32;
  }
  return names;
};

/** The bit of a name, also of one that `permissionNames` made up; undefined where there is none. */
export const permissionBit = (name: string): bigint | undefined => {
  const [, position] = /^UNKNOWN_(\d{1,2})$/.exec(name) ?? [];
  return position === undefined ? bitOfName.get(name) : 1n << BigInt(position);
};
