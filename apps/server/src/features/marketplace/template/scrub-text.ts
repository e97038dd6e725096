/** Of people, roles, channels and pictures, as the platform writes them into texts. */
const mention = /<(@!?|@&|#|a?:\w{1,64}:)(\d{1,20})>/g;
/** The platform's ids are made of time: none is shorter. */
const platformId = /\d{15,}/g;

/** Of names; every other text may be longer. */
const shortestLimit = 100;

type Names = { roles: ReadonlyMap<string, string>; channels: ReadonlyMap<string, string> };

/**
 * Takes ids out of a text: what it names by an id is then named by its name, and people not at all. A
 * long text gets no longer by it, since the platform limits each.
 */
export const createTextScrubber =
  (names: Names) =>
  (text: string): string => {
    const scrubbed = text
      .replace(mention, (_, kind: string, id: string) => wordsFor(kind, id, names))
      .replace(platformId, '000');
    const most = Math.max([...text].length, shortestLimit);
    return [...scrubbed].slice(0, most).join('');
  };

const wordsFor = (kind: string, id: string, { roles, channels }: Names): string => {
  if (kind === '#') return `#${channels.get(id) ?? 'channel'}`;
  if (kind === '@&') return `@${roles.get(id) ?? 'role'}`;
  if (kind.startsWith('@')) return '@someone';
  return `:${kind.split(':')[1]}:`;
};
