/**
 * Walks over plain data with lists instead of recursion: what a stranger sent can be deeper than the stack.
 */

/** Calls `visit` for every value with its key, in order; false leaves out what is in it. In a list all keys are ''. */
export const walkPlainData = (
  root: unknown,
  visit: (value: unknown, key: string) => boolean,
): void => {
  // Beside each other, without a pair for each: there can be a million.
  const keys = [''];
  const values = [root];
  for (let key = keys.pop(); key !== undefined; key = keys.pop()) {
    const value = values.pop();
    if (!visit(value, key) || typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) {
      for (let at = value.length - 1; at >= 0; at -= 1) {
        keys.push('');
        values.push(value[at]);
      }
      continue;
    }
    for (const [name, inner] of Object.entries(value).reverse()) {
      keys.push(name);
      values.push(inner);
    }
  }
};

/** What becomes of a value: another one, of which the values are asked for next where it is open; or itself. */
type Change = { to: unknown; isOpen?: true } | undefined;

/** A copy of plain data with some values changed. */
export const mapPlainData = (
  root: unknown,
  change: (value: unknown, key: string) => Change,
): unknown => {
  const whole: Record<string, unknown> = { root };
  const copies = [whole];
  for (let copy = copies.pop(); copy; copy = copies.pop()) {
    for (const [key, value] of Object.entries(copy)) {
      const changed = change(value, key);
      const next = changed ? changed.to : value;
      copy[key] = next;
      if ((changed && !changed.isOpen) || typeof next !== 'object' || next === null) continue;
      const inner = copyOf(next);
      copy[key] = inner;
      copies.push(inner);
    }
  }
  return whole.root;
};

/** Lists too are written by their keys. An own `__proto__` is a field like any other. */
const copyOf = (value: object): Record<string, unknown> =>
  Array.isArray(value)
    ? ([...value] as unknown as Record<string, unknown>)
    : Object.fromEntries(Object.entries(value));
