import type { AuditLogEntry } from '../../../platform/gateway/events.ts';
import type { Channel, Overwrite } from '../../../platform/guild.ts';
import { sameOverwrites } from '../../../platform/permissions.ts';
import type { GivableOverwrite } from '../../../platform/port.ts';
import { judgeOverwrite, type OverwriteBits } from '../../servers/power/judge-overwrite.ts';

type Held = ReadonlyMap<string, OverwriteBits>;
type Person = { platformId: string; channels: readonly Channel[] };

const nothing: OverwriteBits = { allow: 0n, deny: 0n };

/** The platform makes to such a channel whatever change is made to its category. */
const follows = (channel: Channel, category: Channel): boolean =>
  channel.parentId === category.id && sameOverwrites(channel.overwrites, category.overwrites);

const isSame = (one = nothing, other = nothing): boolean =>
  one.allow === other.allow && one.deny === other.deny;

/**
 * What somebody had in each channel at last: as it was saved, with what the audit log has of it since. Of a
 * channel that follows its category the log has nothing of its own.
 */
export const heldAtLast = (
  saved: Held,
  since: readonly AuditLogEntry[],
  { platformId, channels }: Person,
): Map<string, OverwriteBits> => {
  const held = new Map(saved);
  const byId = new Map(channels.map((channel) => [channel.id, channel]));
  for (const entry of since) {
    const category = byId.get(entry.targetId ?? '');
    if (!category || entry.options.subjectId !== platformId) continue;
    const before = held.get(category.id);
    const together = channels.filter(
      (one) => follows(one, category) && isSame(held.get(one.id), before),
    );
    for (const { id } of [category, ...together]) held.set(id, changedBy(entry, before));
  }
  return held;
};

const changedBy = ({ action, changes }: AuditLogEntry, before = nothing): OverwriteBits => {
  if (action === 'overwriteDeleted') return nothing;
  const base = action === 'overwriteCreated' ? nothing : before;
  const bitsOf = (key: 'allow' | 'deny') => {
    const change = changes.find((one) => one.key === key);
    return change ? readBits(change.after) : base[key];
  };
  return action.startsWith('overwrite') ? { allow: bitsOf('allow'), deny: bitsOf('deny') } : base;
};

const readBits = (value: unknown): bigint =>
  typeof value === 'string' && /^\d{1,30}$/.test(value) ? BigInt(value) : 0n;

type Given = { channelId: string; overwrite: GivableOverwrite };

/**
 * The calls by which somebody gets what they had, categories last. A channel that follows its category now
 * and had something else would get what the category gets: then nothing is allowed in the category, nor in
 * those that had the same and shall go on following it; and what such a channel was denied with it is taken back.
 */
export const planOverwrites = (held: Held, { platformId, channels }: Person): Given[] => {
  const presentOf = ({ overwrites }: Channel): Overwrite =>
    overwrites.find(({ id, kind }) => kind === 'member' && id === platformId) ?? {
      id: platformId,
      kind: 'member',
      allow: '0',
      deny: '0',
    };
  const followersOf = (category: Channel, hadTheSame: boolean): Channel[] =>
    channels.filter(
      (one) =>
        follows(one, category) && isSame(held.get(one.id), held.get(category.id)) === hadTheSame,
    );
  const categories = channels.filter(({ id, kind }) => kind === 'category' && held.has(id));
  const closed = new Set(
    categories
      .filter((one) => held.get(one.id)?.allow !== 0n && followersOf(one, false).length > 0)
      .flatMap((one) => [one, ...followersOf(one, true)]),
  );
  const given = channels.flatMap((channel): Given[] => {
    const had = held.get(channel.id) ?? nothing;
    const present = presentOf(channel);
    const overwrite = judgeOverwrite(present, closed.has(channel) ? { ...had, allow: 0n } : had);
    const isNew = overwrite.allow !== present.allow || overwrite.deny !== present.deny;
    return isNew ? [{ channelId: channel.id, overwrite }] : [];
  });
  const ids = new Set(given.map(({ channelId }) => channelId));
  const takenBack = categories
    .filter(({ id }) => ids.has(id))
    .flatMap((one) => followersOf(one, false))
    .filter(({ id }) => !ids.has(id));
  const isOfCategory = ({ channelId }: Given) => categories.some(({ id }) => id === channelId);
  return [
    ...given.filter((one) => !isOfCategory(one)),
    ...given.filter(isOfCategory),
    ...takenBack.map((channel) => ({
      channelId: channel.id,
      overwrite: judgeOverwrite(presentOf(channel), nothing),
    })),
  ];
};
