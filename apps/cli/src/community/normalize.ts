/** Lists whose order means nothing. */
const unordered = new Set([
  'allow',
  'deny',
  'permissions',
  'features',
  'roles',
  'exemptRoles',
  'exemptChannels',
  'presets',
  'defaultChannels',
  'overwrites',
  'memberOverwrites',
]);

/** What a field is when it is left out. */
const usual: Record<string, unknown> = {
  bitrate: 64_000,
  volume: 1,
  videoQuality: 1,
  layout: 'NOT_SET',
};

const isUsual = (name: string, value: unknown): boolean =>
  value === null ||
  value === false ||
  value === '' ||
  value === 0 ||
  value === usual[name] ||
  (Array.isArray(value) && value.length === 0 && name !== 'memberOverwrites');

/** These say something by 0 or off. */
const telling = new Set(['enabled', 'type', 'event', 'trigger', 'afkTimeoutSeconds', 'volume']);

type Fields = Record<string, unknown>;

/** The fields of an entry so that equal meanings are equal texts. */
export const normalize = (fields: object): Fields =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(
        ([name, value]) => value !== undefined && (telling.has(name) || !isUsual(name, value)),
      )
      .map(([name, value]) => [name, normalizeValue(name, value)])
      .sort(([one], [other]) => (String(one) < String(other) ? -1 : 1)),
  );

const normalizeValue = (name: string, value: unknown): unknown => {
  if (typeof value === 'string') return /color$/i.test(name) ? value.toLowerCase() : value;
  if (Array.isArray(value)) {
    const entries = value.map((entry) => normalizeValue('', entry));
    return unordered.has(name)
      ? entries.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
      : entries;
  }
  return typeof value === 'object' && value !== null ? normalize(value) : value;
};
