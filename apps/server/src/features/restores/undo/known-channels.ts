import { mapInTurns } from '../../../kernel/turns.ts';
import type { Overwrite } from '../../../platform/guild.ts';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import type { GuildState } from '../plan/step.ts';
import { type Act, channelTold } from './atoms.ts';
import { heardWithinMs } from './places.ts';

export type TimedAct = Act & { at: Date };

/** What is known of the channels besides what was done. */
export type Seen = {
  backup: Pick<Snapshot, 'channels'>;
  current: Pick<GuildState, 'channels' | 'roles'>;
  /** Where channels were heard to stand since the backup, in this order. */
  heard: readonly { id: string; parentId: string | null; at: Date }[];
  /** Whether something may have been done since the backup of which no act tells. */
  hasGap: boolean;
};

/** The overwrites of a channel at some moment, as far as they are known. */
export type KnownChannel = {
  id: string;
  /** What they allow and deny, by field; what neither allows nor denies counts as absent. */
  bits: Map<string, string>;
  /** Whether the others say nothing. */
  isWhole: boolean;
  /** The same for the same overwrites, so that however many there are they are compared at once. */
  sum: bigint;
};

export const knownChannel = (id: string, overwrites: readonly Overwrite[] | undefined) => {
  const known = { id, bits: new Map<string, string>(), isWhole: overwrites !== undefined, sum: 0n };
  for (const [field, bits] of fieldsIn(overwrites)) writeBits(known, field, bits);
  return known;
};

export const fieldsIn = (overwrites: readonly Overwrite[] = []): Map<string, string> =>
  new Map(
    overwrites.flatMap(({ kind, id, allow, deny }): [string, string][] => [
      [`${kind}.${id}.allow`, allow],
      [`${kind}.${id}.deny`, deny],
    ]),
  );

export const writeBits = (known: KnownChannel, field: string, bits: string): void => {
  const was = known.bits.get(field);
  if (was === bits) return;
  known.sum ^= hashOf(field, was) ^ hashOf(field, bits);
  known.bits.set(field, bits);
};

/** Undefined where it is not known. */
export const bitsIn = ({ bits, isWhole }: KnownChannel, field: string): string | undefined =>
  bits.get(field) ?? (isWhole ? '0' : undefined);

const hashOf = (field: string, bits = '0'): bigint =>
  bits === '0' ? 0n : Bun.hash.wyhash(`${field} ${bits}`);

/** A role or a person that is gone is named in no channel any more. */
export const forget = (channels: Iterable<KnownChannel>, kind: Overwrite['kind'], id: string) => {
  for (const known of channels) {
    for (const side of ['allow', 'deny']) writeBits(known, `${kind}.${id}.${side}`, '0');
  }
};

/** When the acts begin: those of the backup, and those that are there without having been made since. */
export const channelsAtFirst = async (acts: readonly Act[], { backup, current }: Seen) => {
  const idsOf = (action: Act['action']) =>
    acts.flatMap((act) => (act.action === action ? (act.targetId ?? []) : []));
  const made = new Set(idsOf('channelCreated'));
  const ids = [...current.channels.map(({ id }) => id), ...idsOf('channelDeleted')];
  const saved = await mapInTurns(backup.channels ?? [], ({ id, overwrites }) =>
    knownChannel(id, overwrites),
  );
  const untold = ids.filter((id) => !made.has(id)).map((id) => knownChannel(id, undefined));
  return new Map([...untold, ...saved].map((one) => [one.id, one]));
};

/** A category that a channel was in, as far as is known: also where it is not known how long. */
type Stay = { parentId: string | null; from: number; until: number };

export const staysOf = (acts: readonly Act[], { backup, current, heard }: Seen) => {
  const stays = new Map<string, Stay[]>();
  const add = (id: string, parentId: string | null, from?: number) => {
    const known = stays.get(id) ?? [];
    const last = known.at(-1);
    stays.set(id, known);
    if (last?.parentId === parentId) return;
    if (last && from !== undefined) last.until = from + heardWithinMs;
    const begin = from === undefined ? last?.from : from - heardWithinMs;
    known.push({ parentId, from: last ? (begin ?? 0) : 0, until: Number.POSITIVE_INFINITY });
  };
  const told = (action: Act['action']) => {
    for (const act of acts) {
      const { parentId } = act.action === action ? (channelTold(act) ?? {}) : {};
      if (act.targetId !== null && parentId !== undefined) add(act.targetId, parentId);
    }
  };
  for (const { id, parentId } of backup.channels ?? []) add(id, parentId);
  told('channelCreated');
  for (const { id, parentId, at } of heard) add(id, parentId, at.getTime());
  told('channelDeleted');
  for (const { id, parentId } of current.channels) add(id, parentId);
  return stays;
};

/** The channels in a category at some time. */
export const createChildrenOf = (stays: ReadonlyMap<string, Stay[]>) => {
  const all = [...stays].flatMap(([id, some]) => some.map((stay) => ({ ...stay, id })));
  const byParent = Map.groupBy(all, ({ parentId }) => parentId);
  const byChild = new Map(
    [...byParent].map(([parentId, some]) => [parentId, [...Map.groupBy(some, ({ id }) => id)]]),
  );
  return (categoryId: string, at: number): string[] =>
    (byChild.get(categoryId) ?? []).flatMap(([id, some]) =>
      some.some(({ from, until }) => from <= at && at <= until) ? id : [],
    );
};
