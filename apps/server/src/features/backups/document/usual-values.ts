/** Fields that may be null, off or empty are optional in a document; the others are always there. */
type Compact<Fields> = {
  [Name in keyof Fields as MayBeLeftOut<Fields[Name]> extends true ? never : Name]: Fields[Name];
} & {
  [Name in keyof Fields as MayBeLeftOut<Fields[Name]> extends true ? Name : never]?: NonNullable<
    Fields[Name]
  >;
};

type MayBeLeftOut<Value> = null extends Value
  ? true
  : undefined extends Value
    ? true
    : false extends Value
      ? true
      : Value extends readonly unknown[]
        ? true
        : false;

/** What a document leaves out, since it is what a missing field means: nothing, off, or an empty list. */
const isUsual = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === false ||
  (Array.isArray(value) && value.length === 0);

/** The fields that say something. */
export const withoutUsual = <Fields extends object>(fields: Fields): Compact<Fields> =>
  // What is left has the types of its fields, less the values that were dropped.
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => !isUsual(value)),
  ) as Compact<Fields>;

/** Of a text that the document leaves out: the platform has sometimes null and sometimes an empty one. */
export const unsaid = (known: string | null | undefined): '' | null => (known === '' ? '' : null);

/** The bitrate of a voice channel that nobody has set. */
export const usualBitrate = 64_000;
