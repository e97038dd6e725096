/** As the card provider reads forms: `a[b][0]=c` is `{ a: { b: ['c'] } }`. */
export const readNestedForm = (text: string): Record<string, unknown> => {
  const root: Branch = new Map();
  for (const [name, value] of new URLSearchParams(text)) {
    put(root, stepsOf(name), value);
  }
  const read = toPlain(root);
  return Array.isArray(read) ? {} : read;
};

/** The way back, for telling which parameter was wrong. */
export const nameOfField = (path: readonly PropertyKey[]): string => {
  const [first = '', ...rest] = path.map(String);
  return first + rest.map((step) => `[${step}]`).join('');
};

/** Deeper than any parameter of the provider. */
const deepest = 8;

type Branch = Map<string, Branch | string>;

const stepsOf = (name: string): string[] => {
  const steps = name.split('[').map((step) => step.replace(/\]$/, ''));
  return steps.slice(0, deepest);
};

const put = (root: Branch, steps: string[], value: string): void => {
  const last = steps.at(-1) ?? '';
  let branch = root;
  for (const step of steps.slice(0, -1)) {
    const known = branch.get(step);
    const next: Branch = known instanceof Map ? known : new Map();
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
  const isList = entries.length > 0 && entries.every(([name], place) => name === String(place));
  // `fromEntries` makes own fields, so that a parameter named __proto__ is only a name.
  return isList ? entries.map(([, value]) => value) : Object.fromEntries(entries);
};
