/** Parses nested form fields as the card provider does: `a[b][0]=c` is `{ a: { b: ['c'] } }`. */
export const readNestedForm = (text: string): Record<string, unknown> => {
  const root: Branch = new Map();
  for (const [name, value] of new URLSearchParams(text)) {
    put(root, stepsOf(name), value);
  }
  const read = toPlain(root);
  return Array.isArray(read) ? {} : read;
};

/** The inverse, to name an invalid parameter: `['a', 'b', 0]` is `a[b][0]`. */
export const nameOfField = (path: readonly PropertyKey[]): string => {
  const [first = '', ...rest] = path.map(String);
  return first + rest.map((step) => `[${step}]`).join('');
};

/** No parameter of the provider is nested deeper. */
const maxDepth = 8;

type Branch = Map<string, Branch | string>;

const stepsOf = (name: string): string[] => {
  const steps = name.split('[').map((step) => step.replace(/\]$/, ''));
  return steps.slice(0, maxDepth);
};

const put = (root: Branch, steps: string[], value: string): void => {
  const last = steps.at(-1) ?? '';
  let branch = root;
  for (const step of steps.slice(0, -1)) {
    const child = branch.get(step);
    const next: Branch = child instanceof Map ? child : new Map();
    branch.set(step, next);
    branch = next;
  }
  // `a[]=x` appends.
  branch.set(last === '' ? String(branch.size) : last, value);
};

const toPlain = (branch: Branch): Record<string, unknown> | unknown[] => {
  const entries = [...branch].map(([name, value]): [string, unknown] => [
    name,
    value instanceof Map ? toPlain(value) : value,
  ]);
  const isList = entries.length > 0 && entries.every(([name], index) => name === String(index));
  // `fromEntries` defines own fields, so a parameter named __proto__ is harmless.
  return isList ? entries.map(([, value]) => value) : Object.fromEntries(entries);
};
