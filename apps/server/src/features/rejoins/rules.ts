import type { GuildEvent } from '../../platform/gateway/events.ts';
import type { KnownMember } from '../members/queries/roll-calls.ts';

/** What a batch of reports says about the people of one guild. */
export type Movements = {
  /** Whoever left, also those who came back within the batch. */
  left: Set<string>;
  /** Whoever is there after having come within the batch, since when, and what they have so far. */
  joined: Map<string, Seen>;
  /** What people had, at most until they left. */
  had: Map<string, Seen>;
};

export type Held = { roleIds: string[]; nick: string | null };
type Seen = Held & { joinedAt: string | null };

/** Cut after each guild that is reported in full: what comes before it was heard by an older session. */
export const splitAtArrivals = (
  events: readonly GuildEvent[],
): { before: GuildEvent[]; guildId: string | undefined }[] => {
  const parts: { before: GuildEvent[]; guildId: string | undefined }[] = [];
  let before: GuildEvent[] = [];
  for (const event of events) {
    before.push(event);
    if (event.kind !== 'guildAvailable') continue;
    parts.push({ before, guildId: event.guildId });
    before = [];
  }
  return [...parts, { before, guildId: undefined }];
};

/** By guild, in the order in which it happened. Bots do not count. */
export const sumUpMovements = (events: readonly GuildEvent[]): Map<string, Movements> => {
  const guilds = new Map<string, Movements>();
  for (const event of events) {
    if (!isMovement(event)) continue;
    const known = guilds.get(event.guildId);
    const movements = known ?? { left: new Set(), joined: new Map(), had: new Map() };
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
    return;
  }
  const { roleIds, nick } = event;
  const arrival = joined.get(userId);
  if (event.kind === 'memberJoined') {
    joined.set(userId, { roleIds, nick, joinedAt: momentOf(event.joinedAt) });
  } else if (arrival) {
    // Of one who came back it says only what they have been given so far.
    joined.set(userId, { ...arrival, roleIds, nick });
  } else if (!left.has(userId)) {
    had.set(userId, { roleIds, nick, joinedAt: momentOf(event.joinedAt) });
  }
};

/** As the database reads it; null where it is no moment. */
export const momentOf = (text: string | null): string | null => {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
};

type Known = Omit<KnownMember, 'platformId'>;

/**
 * What it means that a member is in the guild:
 *
 * - `returned`: they came without having been heard, because they were known to be away, or are there since
 *   later than was known. Of one of whom that was never known it is said only if everybody was listed
 *   before, and they came after that and after they were verified.
 * - `there`: as was known.
 * - `unsure`: they wait for what they had, or were heard of since the list was asked for, which is newer.
 */
export const judgePresence = (
  known: Known,
  joinedAt: string | null,
  how: 'heard' | 'listed',
): 'returned' | 'there' | 'unsure' => {
  const isHeard = known.heardIn >= known.number;
  if (known.returnedAt || (isHeard && (known.leftAt || how === 'listed'))) return 'unsure';
  if (known.leftAt) return 'returned';
  const since = known.joinedAt ?? firstMoment(known);
  return since && joinedAt && Date.parse(joinedAt) > since.getTime() ? 'returned' : 'there';
};

const firstMoment = ({ completedSince, verifiedAt, consentedAt }: Known): Date | null =>
  completedSince &&
  new Date(Math.max(...[completedSince, verifiedAt, consentedAt].map((one) => Number(one))));

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
