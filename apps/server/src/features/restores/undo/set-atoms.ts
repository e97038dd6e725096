import type { AuditedType } from '../../../platform/translate/audit-fields.ts';

export type ThingType = AuditedType | 'ban' | 'invite';

/** One field of one thing; without a key, whether the thing exists. */
export type FieldAtom = {
  type: ThingType;
  id: string;
  key?: string;
  before: unknown;
  after: unknown;
};

type Of = Pick<FieldAtom, 'type' | 'id'>;

const listFields: ReadonlySet<string> = new Set([
  ...['features', 'keywords', 'patterns', 'allowedWords'],
  ...['exemptRoleIds', 'exemptChannelIds', 'defaultChannelIds'],
]);

/** Whether the order of its entries means nothing, so that each of them is a field of its own. */
export const isListField = (key: string): boolean => listFields.has(key);

export const bitAtoms = (of: Of, key: string, was: string, is: string): FieldAtom[] => {
  const [before, after] = [BigInt(was), BigInt(is)];
  const atoms: FieldAtom[] = [];
  for (let left = before ^ after, bit = 0; left !== 0n; left >>= 1n, bit++) {
    if ((left & 1n) === 0n) continue;
    const had = ((before >> BigInt(bit)) & 1n) === 1n;
    atoms.push({ ...of, key: `${key}.${bit}`, before: had, after: !had });
  }
  return atoms;
};

export const listAtoms = (of: Of, key: string, was: unknown, is: unknown): FieldAtom[] => {
  const [before, after] = [was, is].map((list) => new Set<string>(Array.isArray(list) ? list : []));
  if (!before || !after) return [];
  return [...before.symmetricDifference(after)].map((name) => {
    const had = before.has(name);
    return { ...of, key: `${key}.${name}`, before: had, after: !had };
  });
};
