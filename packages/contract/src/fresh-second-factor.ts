/**
 * Which actions need a fresh code of the second factor: those that delete something, move money,
 * change credentials, point a server to another guild, weaken retention or protection, stop the repair of an
 * incident, or silence alerts.
 * It applies to dashboard sessions of accounts with a second factor; API keys are limited by their scopes.
 */
export type FreshSecondFactor =
  | 'never'
  | 'always'
  /** The request body contains the code. */
  | 'inBody'
  | {
      /** Decided by what the body says. */
      whenFields?: Conditions;
      /** Decided by what the body would change about the stored record. */
      whenChanges?: Conditions;
      /** Decided by the stored record alone. */
      whenStored?: Conditions;
    };

export type Conditions = Readonly<Record<string, Condition>>;

/** Whether changing a field from its stored value to the given one needs a code. */
type Condition = (to: unknown, from?: unknown) => boolean;

/** Any value. */
export const provided: Condition = () => true;

/** Any value but null. */
export const notNull: Condition = (value) => value !== null;

/** Only that value. */
export const setTo =
  (value: string | boolean): Condition =>
  (to) =>
    to === value;

export const changed: Condition = (to, from) => to !== from;

/** From anything else to that value. */
export const changedTo =
  (value: string | boolean): Condition =>
  (to, from) =>
    to === value && from !== value;

/** A number becomes smaller, or any number of an object does. */
export const lowered: Condition = (to, from) => {
  if (typeof to === 'number' && typeof from === 'number') return to < from;
  return (
    isRecord(to) && isRecord(from) && Object.keys(to).some((key) => lowered(to[key], from[key]))
  );
};

/** Any switch of an object goes off. */
export const switchedOff: Condition = (to, from) =>
  isRecord(to) && isRecord(from) && Object.keys(to).some((key) => from[key] === true && !to[key]);

/** A schedule ends or has longer intervals. */
export const lessOften: Condition = (to, from) => {
  if (!isRecord(from)) return false;
  return !isRecord(to) || lowered(from, to);
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** The fields of the body whose condition holds. */
export const fieldsRequiringCode = (
  conditions: Conditions = {},
  body: object = {},
  before: object = {},
): string[] => {
  const to = new Map<string, unknown>(Object.entries(body));
  const from = new Map<string, unknown>(Object.entries(before));
  return Object.entries(conditions)
    .filter(
      ([field, holds]) => to.get(field) !== undefined && holds(to.get(field), from.get(field)),
    )
    .map(([field]) => field);
};
