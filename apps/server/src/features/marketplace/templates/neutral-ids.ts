import type { Snapshot } from '../../backups/snapshot/snapshot.ts';

/** The id of every template's guild, and so, by the platform's rule, of its @everyone role. */
export const neutralGuildId = '1';

type NeutralId = (id: string) => string | undefined;

/** Undefined for what is not in the template. One map per kind: a channel may have its guild's id. */
export type NeutralIds = { role: NeutralId; channel: NeutralId; tag: NeutralId; emoji: NeutralId };

/**
 * Numbers the content of a template, from 1 on, because the platform's ids contain a creation time and
 * identify the seller's guild. Older objects get smaller ids: between equal positions the id decides.
 */
export const createNeutralIds = ({ guildId, roles, channels, emojis }: Snapshot): NeutralIds => {
  let last = Number(neutralGuildId);
  const count = (objects: { id: string }[], ids = new Map<string, string>()): NeutralId => {
    for (const { id } of objects.sort(byAge)) {
      if (!ids.has(id)) ids.set(id, String(++last));
    }
    return (id) => ids.get(id);
  };
  return {
    role: count(
      (roles ?? []).filter(({ isManaged }) => !isManaged),
      new Map([[guildId, neutralGuildId]]),
    ),
    channel: count([...(channels ?? [])]),
    tag: count((channels ?? []).flatMap(({ tags }) => tags)),
    emoji: count((emojis ?? []).filter(({ isManaged }) => !isManaged)),
  };
};

const byAge = (one: { id: string }, other: { id: string }): number => {
  if (one.id === other.id) return 0;
  return BigInt(one.id) < BigInt(other.id) ? -1 : 1;
};
