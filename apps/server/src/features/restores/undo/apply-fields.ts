import type { Overwrite } from '../../../platform/guild.ts';
import type { UndoScope } from './scope.ts';

type Fields = UndoScope['changed'][number]['fields'];

/** A thing with its fields as they were before; what its schema does not take stays as it is. */
export const applyFields = <Thing extends object>(
  thing: Thing,
  fields: Fields,
  schema: { safeParse(value: unknown): { success: true; data: Thing } | { success: false } },
): Thing => fields.reduce((now, field) => applyField(now, field, schema), thing);

const applyField = <Thing extends object>(
  thing: Thing,
  { key, before }: Fields[number],
  schema: Parameters<typeof applyFields<Thing>>[2],
): Thing => {
  const [name = '', ...path] = key.split('.');
  if (!(name in thing)) return thing;
  const now: unknown = thing[name as keyof Thing];
  const changed = schema.safeParse({ ...thing, [name]: changedValue({ name, now, path }, before) });
  return changed.success ? changed.data : thing;
};

/**
 * `permissions.3`, `roleIds.17`, `overwrites.role.17.allow.3`, `widget.isEnabled`, `keywords.a.word`; without
 * a path, the whole value.
 */
const changedValue = (
  { name, now, path }: { name: string; now: unknown; path: string[] },
  before: unknown,
): unknown => {
  const [first, id, side, bit] = path;
  if (first === undefined) return before;
  if (typeof now === 'string') return withBit(now, first, before === true);
  if (name === 'overwrites') {
    if (id === undefined || bit === undefined || (side !== 'allow' && side !== 'deny')) return now;
    // The key says which list it is about.
    const overwrites = now as Overwrite[];
    const kind = first === 'member' ? 'member' : 'role';
    return changeOverwrite(overwrites, { id, kind }, side, (bits) =>
      withBit(bits, bit, before === true),
    );
  }
  if (typeof now === 'object' && !Array.isArray(now)) return { ...now, [first]: before };
  const entry = path.join('.');
  const list: unknown[] = Array.isArray(now) ? now : [];
  if (list.includes(entry) === (before === true)) return list;
  return before === true ? [...list, entry] : list.filter((one) => one !== entry);
};

const withBit = (bits: string, position: string, isSet: boolean): string => {
  const bit = 1n << BigInt(position);
  return (isSet ? BigInt(bits) | bit : BigInt(bits) & ~bit).toString();
};

/** One that says nothing any more goes. */
const changeOverwrite = (
  overwrites: Overwrite[],
  { id, kind }: Pick<Overwrite, 'id' | 'kind'>,
  side: 'allow' | 'deny',
  change: (bits: string) => string,
): Overwrite[] => {
  const isIt = (one: Overwrite) => one.id === id && one.kind === kind;
  const own = overwrites.find(isIt) ?? { id, kind, allow: '0', deny: '0' };
  const changed = { ...own, [side]: change(own[side]) };
  const isEmpty = BigInt(changed.allow) === 0n && BigInt(changed.deny) === 0n;
  return [...overwrites.filter((one) => !isIt(one)), ...(isEmpty ? [] : [changed])];
};
