/**
 * Which acts ask for a fresh code of the second factor: those that destroy something, move money,
 * change credentials, repoint a server, or weaken retention or protection. It concerns the dashboard's
 * sessions of accounts that have a second factor switched on; API keys are limited by their scopes.
 */
export type FreshSecondFactor =
  | 'never'
  | 'always'
  /** The request carries the code itself. */
  | 'inBody'
  | {
      /** Decided by what the body says. */
      whenFields?: Conditions;
      /** Decided by what the body would change about the stored record. */
      whenChanges?: Conditions;
    };

export type Conditions = Readonly<Record<string, Condition>>;

/** Whether bringing a field from its stored value to the one of the body asks for a code. */
export type Condition = (to: unknown, from?: unknown) => boolean;

/** Whatever it is set to. */
export const named: Condition = () => true;

/** `setTo('NONE')`: only that value. */
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

/** A number that becomes smaller, or any such number of an object. */
export const lowered: Condition = (to, from) => {
  if (typeof to === 'number' && typeof from === 'number') return to < from;
  return (
    isRecord(to) && isRecord(from) && Object.keys(to).some((key) => lowered(to[key], from[key]))
  );
};

/** A schedule that stops, or leaves more time between two runs. */
export const lessOften: Condition = (to, from) => {
  if (!isRecord(from)) return false;
  return !isRecord(to) || lowered(from, to);
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** The fields of the body whose condition holds. */
export const fieldsAskingForCode = (
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
