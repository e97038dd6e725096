/** Mentions of people, roles, channels and emojis. */
const mention = /<(@!?|@&|#|a?:\w{1,64}:)(\d{1,20})>/g;
/** Ids of the platform contain a time, so none is shorter. */
const platformId = /\d{15,}/g;

/** The platform's limit for names; other texts may be longer. */
const shortestLimit = 100;

type Names = { roles: ReadonlyMap<string, string>; channels: ReadonlyMap<string, string> };

/**
 * Replaces mentions by names, and mentions of people by a placeholder, and removes all other ids. A long text
 * gets no longer, because the platform limits its length.
 */
export const createTextScrubber =
  (names: Names) =>
  (text: string): string => {
    const scrubbed = text
      .replace(mention, (_, kind: string, id: string) => nameFor(kind, id, names))
      .replace(platformId, '000');
    const most = Math.max([...text].length, shortestLimit);
    return [...scrubbed].slice(0, most).join('');
  };

const nameFor = (kind: string, id: string, { roles, channels }: Names): string => {
  if (kind === '#') return `#${channels.get(id) ?? 'channel'}`;
  if (kind === '@&') return `@${roles.get(id) ?? 'role'}`;
  if (kind.startsWith('@')) return '@someone';
  return `:${kind.split(':')[1]}:`;
};
