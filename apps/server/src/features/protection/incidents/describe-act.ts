import type { FieldChange } from '@holdfast/contract';
import { permissionNames } from '../../../platform/permission-names.ts';

type Values = Record<string, unknown> | null;

/** What an act changed, field by field, with permissions by name. */
export const changesOf = ({ before, after }: { before: Values; after: Values }): FieldChange[] =>
  [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].map((field) => ({
    field,
    from: shown(field, before?.[field]),
    to: shown(field, after?.[field]),
  }));

const sets = ['permissions', 'allow', 'deny'];

const shown = (field: string, value: unknown): FieldChange['from'] => {
  if (sets.includes(field)) return namesOf(value);
  if (field === 'permission_overwrites' && Array.isArray(value)) return value.map(withNames);
  // What was stored came as JSON.
  return (value ?? null) as FieldChange['from'];
};

/** What is not a number of the platform says nothing. */
const namesOf = (bits: unknown): string[] =>
  /^\d{1,30}$/.test(String(bits)) ? permissionNames(BigInt(String(bits))) : [];

const memberOverwrite = 1;

const withNames = (overwrite: unknown): unknown => {
  if (typeof overwrite !== 'object' || overwrite === null) return overwrite;
  const { allow, deny, type, ...rest } = { allow: '0', deny: '0', type: 0, ...overwrite };
  const kind = Number(type) === memberOverwrite ? 'member' : 'role';
  return { ...rest, type: kind, allow: namesOf(allow), deny: namesOf(deny) };
};
