import type { Snapshot } from '../../backups/snapshot.ts';

/** The guild's own, and by the platform's rule that of @everyone. */
export const neutralGuildId = '1';

type NeutralId = (id: string) => string | undefined;

/** Undefined for what a template does not hold. Each kind apart: a channel may have its guild's id. */
export type NeutralIds = { role: NeutralId; channel: NeutralId; tag: NeutralId; emoji: NeutralId };

/**
 * Counts what a template holds, from 1 on. Ids of the platform tell when something was made, and lead
 * back to where it is. The older one keeps the smaller id: of two on one position that decides.
 */
export const createNeutralIds = ({ guildId, roles, channels, emojis }: Snapshot): NeutralIds => {
  let last = Number(neutralGuildId);
  const count = (things: { id: string }[], known = new Map<string, string>()): NeutralId => {
    for (const { id } of things.sort(byAge)) {
      if (!known.has(id)) known.set(id, String(++last));
    }
    return (id) => known.get(id);
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
