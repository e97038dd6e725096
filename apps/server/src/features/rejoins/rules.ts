import type { GuildEvent } from '../../platform/gateway/events.ts';

/** What a batch of reports says about the people of one guild. */
type Movements = {
  /** Whoever left, also those who came back within the batch. */
  left: Set<string>;
  /** Whoever is there after having come within the batch. */
  joined: Set<string>;
  /** What people had, at most until they left. */
  had: Map<string, Held>;
};

export type Held = { roleIds: string[]; nick: string | null };

/** By guild, in the order in which it happened. Bots do not count. */
export const sumUpMovements = (events: readonly GuildEvent[]): Map<string, Movements> => {
  const guilds = new Map<string, Movements>();
  for (const event of events) {
    if (!isMovement(event)) continue;
    const known = guilds.get(event.guildId);
    const movements = known ?? { left: new Set(), joined: new Set(), had: new Map() };
    if (!known) guilds.set(event.guildId, movements);
    addMovement(movements, event);
  }
  return guilds;
};

type Movement = Extract<GuildEvent, { kind: 'memberJoined' | 'memberChanged' | 'memberLeft' }>;

const isMovement = (event: GuildEvent): event is Movement =>
  event.kind === 'memberLeft' ||
  ((event.kind === 'memberJoined' || event.kind === 'memberChanged') && !event.isBot);

const addMovement = ({ left, joined, had }: Movements, event: Movement): void => {
  const { userId } = event;
  if (event.kind === 'memberLeft') {
    left.add(userId);
    joined.delete(userId);
  } else if (event.kind === 'memberJoined') {
    joined.add(userId);
  } else if (!joined.has(userId) && !left.has(userId)) {
    // Of one who came back it says only what they have been given so far.
    had.set(userId, { roleIds: event.roleIds, nick: event.nick });
  }
};

type Reported = { roleIds: string[] | null; nick: string | null; rolesSeenAt: Date | null };

/** What a person had: as it was last reported, unless the backup is newer. */
export const newestOf = (
  reported: Reported,
  saved: (Held & { savedAt: Date }) | undefined,
): Held | undefined => {
  const { roleIds, nick, rolesSeenAt } = reported;
  const isReported = roleIds !== null && rolesSeenAt !== null;
  if (isReported && (!saved || rolesSeenAt >= saved.savedAt)) return { roleIds, nick };
  return saved && { roleIds: saved.roleIds, nick: saved.nick };
};
