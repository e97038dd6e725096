import type { Channel, Overwrite, Role } from '../../../platform/guild.ts';
import {
  dangerous,
  includes,
  permission,
  powerIn,
  without,
} from '../../../platform/permissions.ts';

type Places = {
  roles: readonly Role[];
  channels: readonly Channel[];
  everyoneId: string;
};

/** What a role, or a person by overwrites of their own, can do: power in one channel is none in others. */
export type PlacedPower = {
  inServer: bigint;
  /** The same, of an administrator without what that permission includes. */
  named: bigint;
  /** By id, where an overwrite gives some. */
  givenIn: ReadonlyMap<string, bigint>;
  inChannel(channelId: string): bigint;
  /** By their own overwrite. */
  deniedIn(channelId: string): bigint;
};

type Subject = Pick<Overwrite, 'id' | 'kind'>;
const keyOf = ({ id, kind }: Subject) => `${kind}:${id}`;
const none: ReadonlyMap<string, Overwrite> = new Map();

/** Who has which power where, in a guild or in a backup of one. */
export const placePower = ({ roles, channels, everyoneId }: Places) => {
  const permissions = new Map(roles.map((role) => [role.id, role.permissions]));
  const overwrites = new Map<string, Map<string, Overwrite>>();
  for (const channel of channels) {
    for (const overwrite of channel.overwrites) {
      const key = keyOf(overwrite);
      const own = overwrites.get(key) ?? new Map<string, Overwrite>();
      overwrites.set(key, own.set(channel.id, overwrite));
    }
  }
  const ofEveryone = overwrites.get(keyOf({ id: everyoneId, kind: 'role' })) ?? none;
  const place = (subject: Subject): PlacedPower => {
    const own = overwrites.get(keyOf(subject)) ?? none;
    const granted = subject.kind === 'role' ? (permissions.get(subject.id) ?? '0') : '0';
    const inServer = powerIn(BigInt(granted));
    const named = BigInt(granted) & dangerous;
    const given = [...own].map(([id, { allow }]) => [id, BigInt(allow) & dangerous] as const);
    const givenIn = new Map(given.filter(([, power]) => power !== 0n));
    const deniedIn = (channelId: string) => BigInt(own.get(channelId)?.deny ?? 0);
    return {
      inServer,
      named,
      givenIn,
      deniedIn,
      inChannel(channelId) {
        // To an administrator nothing is denied.
        if (includes(inServer, permission.administrator)) return dangerous;
        const closed = BigInt(ofEveryone.get(channelId)?.deny ?? 0);
        const left = without(inServer, closed | deniedIn(channelId));
        return left | (givenIn.get(channelId) ?? 0n);
      },
    };
  }; // Once for each of them, however many channels ask.
  const placed = new Map<string, PlacedPower>();
  return (subject: Subject): PlacedPower => {
    const key = keyOf(subject);
    const power = placed.get(key) ?? place(subject);
    placed.set(key, power);
    return power;
  };
};
