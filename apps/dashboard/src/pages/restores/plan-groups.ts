import type { RestorePlan } from '../../queries/records.ts';

type Planned = RestorePlan['create'][number];

/** Objects of the same name and reason share a line with their count. */
type PlanLine = { key: string; name: string; reason?: string; count: number };
export type PlanGroup = { type: string; label: string; count: number; lines: PlanLine[] };

/** In the order in which they are shown; unknown types come last, by their own name. */
const typeLabels: Record<string, string> = {
  channel: 'Channels and categories',
  role: 'Roles',
  settings: 'Server settings',
  emoji: 'Emojis',
  sticker: 'Stickers',
  ban: 'Bans',
  member: 'Roles and nicknames of members',
};
const typeOrder = Object.keys(typeLabels);
const placeOf = (type: string): number =>
  typeOrder.includes(type) ? typeOrder.indexOf(type) : typeOrder.length;

/** A list of the plan by type, the most important first. */
export const groupPlanned = (planned: readonly Planned[]): PlanGroup[] => {
  const byType = Map.groupBy(planned, ({ type }) => type);
  return [...byType]
    .map(([type, things]) => ({
      type,
      label: typeLabels[type] ?? type,
      count: things.length,
      lines: linesOf(things),
    }))
    .sort((one, other) => placeOf(one.type) - placeOf(other.type));
};

const linesOf = (things: readonly Planned[]): PlanLine[] => {
  const alike = Map.groupBy(things, ({ name, reason }) => JSON.stringify([name, reason]));
  return [...alike].flatMap(([key, [first, ...rest]]) =>
    first ? [{ key, name: first.name, reason: first.reason, count: 1 + rest.length }] : [],
  );
};
