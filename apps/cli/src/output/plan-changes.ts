import type { Output as OutputOf } from '@holdfast/sdk';
import { formatValue } from './format.ts';
import { clean } from './style.ts';

type Change = OutputOf<'planRestore'>['update'][number]['changes'][number];

/** The name of a channel or role by its id on the platform, where it is known. */
export type NameOf = (platformId: string) => string | undefined;

/** One change of a plan in the reader's words: names instead of ids, and of lists only what differs. */
export const describeChange = ({ field, from, to }: Change, nameOf: NameOf): string[] => {
  if (field === 'permissions') return [`permissions: ${difference(texts(from), texts(to))}`];
  if (field === 'permission_overwrites') return describeOverwrites(from, to);
  if (field === 'position' && Array.isArray(to)) return [`order: ${describe(field, to, nameOf)}`];
  const label = clean(field.replace(/_ids?$/, '').replaceAll('_', ' '));
  const [before, after] = [describe(field, from, nameOf), describe(field, to, nameOf)];
  return [before === after ? `${label}: other details` : `${label}: ${before} → ${after}`];
};

const describe = (field: string, value: unknown, nameOf: NameOf): string => {
  if (Array.isArray(value) && value.length > 0) {
    return value.map((entry) => describe(field, entry, nameOf)).join(', ');
  }
  if (typeof value === 'string') return clean(nameOf(value) ?? value) || '–';
  if (typeof value === 'object' && value !== null) return describeObject(field, value, nameOf);
  return formatValue(field, value);
};

/** What people know an entry by; all of it where it has no such field. */
const telling = ['name', 'title', 'channel_id', 'emoji_name'] as const;

const describeObject = (field: string, value: object, nameOf: NameOf): string => {
  const fields = new Map(Object.entries(value));
  const known = telling.map((name) => fields.get(name)).find((one) => typeof one === 'string');
  return known === undefined ? formatValue(field, value) : describe(field, known, nameOf);
};

const describeOverwrites = (from: unknown, to: unknown): string[] => {
  const [before, after] = [overwritesOf(from), overwritesOf(to)];
  return [...new Set([...after.keys(), ...before.keys()])].flatMap((id) => {
    const [was, will] = [before.get(id), after.get(id)];
    const allowed = difference(was?.allow ?? [], will?.allow ?? []);
    const denied = difference(was?.deny ?? [], will?.deny ?? []);
    const parts = [allowed && `allowed ${allowed}`, denied && `denied ${denied}`].filter(Boolean);
    return parts.length === 0 ? [] : [`${clean((will ?? was)?.name ?? id)}: ${parts.join('; ')}`];
  });
};

type Overwrite = { name: string; allow: string[]; deny: string[] };

const overwritesOf = (value: unknown): Map<string, Overwrite> => {
  const entries: unknown[] = Array.isArray(value) ? value : [];
  return new Map(
    entries.flatMap((entry) => {
      if (typeof entry !== 'object' || entry === null) return [];
      const fields = new Map(Object.entries(entry));
      const id = String(fields.get('id'));
      const name = String(fields.get('name') ?? `${fields.get('type') ?? 'role'} ${id}`);
      return [[id, { name, allow: texts(fields.get('allow')), deny: texts(fields.get('deny')) }]];
    }),
  );
};

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];

const difference = (before: string[], after: string[]): string =>
  [
    ...after.filter((one) => !before.includes(one)).map((one) => `+${one}`),
    ...before.filter((one) => !after.includes(one)).map((one) => `-${one}`),
  ]
    .map(clean)
    .join(' ');
