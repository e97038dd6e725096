/** Objects of the same name and reason share a line with their count. */
type PlanLine = { key: string; name: string; reason?: string; count: number };
export type PlanGroup<Thing> = { type: string; label: string; things: Thing[] };

type Planned = { type: string; name: string; reason?: string };

/** In the order in which they are shown; unknown types come last, by their own name. */
const typeLabels: Record<string, string> = {
  channel: 'Channels and categories',
  role: 'Roles',
  settings: 'Server settings',
  emoji: 'Emojis',
  sticker: 'Stickers',
  sound: 'Sounds',
  automod: 'AutoMod rules',
  onboarding: 'Onboarding',
  welcomeScreen: 'Welcome screen',
  event: 'Events',
  webhook: 'Webhooks',
  thread: 'Threads and posts',
  message: 'Messages',
  ban: 'Bans',
  member: 'Roles and nicknames of members',
};
const typeOrder = Object.keys(typeLabels);
const placeOf = (type: string): number =>
  typeOrder.includes(type) ? typeOrder.indexOf(type) : typeOrder.length;

/** A list of the plan by type, the most important first. */
export const groupPlanned = <Thing extends Planned>(
  planned: readonly Thing[],
): PlanGroup<Thing>[] =>
  [...Map.groupBy(planned, ({ type }) => type)]
    .map(([type, things]) => ({ type, label: typeLabels[type] ?? type, things }))
    .sort((one, other) => placeOf(one.type) - placeOf(other.type));

const ofPeople = ['ban', 'member'];

/** The platform names people by nothing but a number where they have no nickname. */
export const plannedName = ({ type, name }: Pick<Planned, 'type' | 'name'>): string =>
  ofPeople.includes(type) && /^\d+$/.test(name) ? `Person ${name}` : name;

export const linesOf = (things: readonly Planned[]): PlanLine[] => {
  const alike = Map.groupBy(things, ({ name, reason }) => JSON.stringify([name, reason]));
  return [...alike].flatMap(([key, [first, ...rest]]) =>
    first ? [{ key, name: plannedName(first), reason: first.reason, count: 1 + rest.length }] : [],
  );
};

/** Messages go with their channel, and no backup brings them all back. */
export const countDeletedChannels = ({ delete: deleted }: { delete: readonly Planned[] }): number =>
  deleted.filter(({ type }) => type === 'channel').length;
