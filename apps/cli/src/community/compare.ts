import type { CommunityDocument } from './document.ts';
import { groupBy } from './group-by.ts';
import { type Placed, placeChannels, uniqueNames } from './names.ts';
import { normalize } from './normalize.ts';

/** One difference: `from` is in the first document, `to` in the second. */
export type Change = {
  section: string;
  /** The name or path of the thing; undefined for a section of one. */
  name?: string;
  kind: 'added' | 'removed' | 'changed' | 'reordered';
  fields?: { field: string; from: unknown; to: unknown }[];
};

export type Comparison = {
  changes: Change[];
  /** Sections that a side could not give: whether they differ is not known. */
  unread: string[];
  notes: string[];
};

/** A document, and what is known of it. */
export type Side = {
  document: CommunityDocument;
  /** A file need not have every section: what it leaves out is not compared. */
  isFile?: boolean;
  /** Sections that are not in it because they could not be read. */
  unread?: readonly string[];
};

type Entry = { name: string; fields: object };
type Section = keyof CommunityDocument;

/** What turns the first document into the second. */
export const compareDocuments = (from: Side, to: Side): Comparison => {
  const [one, other] = [from.document, to.document];
  const notes: string[] = [];
  const unread: string[] = [];
  const isCompared = (section: Section, sides: [CommunityDocument, CommunityDocument]) =>
    !isUnread(section, from, to, unread) && isInBoth(...sides, section, notes);
  const roles = compareRoles(one, other, notes);
  const lists = (['emojis', 'stickers', 'soundboard', 'automod'] as const).flatMap((section) =>
    isCompared(section, [one, other])
      ? compareNamed(section, one[section] ?? [], other[section] ?? [])
      : [],
  );
  const [before, after] = [withNewcomers(from, other), withNewcomers(to, one)];
  const singles = (['onboarding', 'welcomeScreen'] as const).flatMap((section) =>
    isCompared(section, [before, after])
      ? compareFields(section, undefined, before[section] ?? {}, after[section] ?? {})
      : [],
  );
  const settings = compareFields('settings', undefined, one.settings, other.settings);
  const changes = [...settings, ...roles, ...compareChannels(one, other), ...lists, ...singles];
  return { changes, unread, notes };
};

/** What a file leaves out nobody asks for, whether it can be read or not. */
const isUnread = (section: Section, from: Side, to: Side, unread: string[]): boolean => {
  if (![from, to].some((side) => side.unread?.includes(section))) return false;
  const isLeftOut = [from, to].some((side) => side.isFile && side.document[section] === undefined);
  if (!isLeftOut) unread.push(section);
  return true;
};

const nothing: Pick<CommunityDocument, 'onboarding' | 'welcomeScreen'> = {
  onboarding: { enabled: false, mode: 'DEFAULT', prompts: [] },
  welcomeScreen: { enabled: false, channels: [] },
};

/** A server that has no onboarding or welcome screen has one that is off, if the other side has one. */
const withNewcomers = ({ document, isFile }: Side, other: CommunityDocument): CommunityDocument => {
  if (isFile) return document;
  const { onboarding, welcomeScreen } = nothing;
  return {
    ...(other.onboarding && { onboarding }),
    ...(other.welcomeScreen && { welcomeScreen }),
    ...document,
  };
};

/** A section that one of them does not have is not its business. */
const isInBoth = (
  from: CommunityDocument,
  to: CommunityDocument,
  section: Section,
  notes: string[],
): boolean => {
  if (from[section] === undefined && to[section] === undefined) return false;
  if (from[section] !== undefined && to[section] !== undefined) return true;
  notes.push(`Not compared: ${section}, which only one side has.`);
  return false;
};

type Named = { name: string; image?: string | null; sound?: string | null };

/** One with another name but the picture or sound of one that is gone was renamed. */
const compareNamed = (section: string, from: readonly Named[], to: readonly Named[]): Change[] => {
  const [before, after] = [namedEntries(from), namedEntries(to)];
  const has = (entries: Entry[], { name }: Entry) => entries.some((entry) => entry.name === name);
  const gone = groupBy(
    before.filter((entry) => !has(after, entry)),
    bytesOf,
  );
  const come = groupBy(
    after.filter((entry) => !has(before, entry)),
    bytesOf,
  );
  const renamed = new Map<string, Entry>();
  for (const [bytes, [entry, ...others]] of come) {
    const [was, ...more] = gone.get(bytes) ?? [];
    if (bytes === undefined || !entry || !was || others.length + more.length > 0) continue;
    renamed.set(entry.name, was);
  }
  const taken = new Set(renamed.values());
  const rest = {
    before: before.filter((entry) => !taken.has(entry)),
    after: after.filter(({ name }) => !renamed.has(name)),
  };
  return [
    ...compareEntries(section, rest.before, rest.after),
    ...after.flatMap((entry) => {
      const was = renamed.get(entry.name);
      return was ? compareFields(section, entry.name, was.fields, entry.fields) : [];
    }),
  ];
};

const bytesOf = ({ fields }: Entry): string | undefined => {
  const { image, sound }: Partial<Named> = fields;
  return image ?? sound ?? undefined;
};

const namedEntries = (things: readonly { name: string }[]): Entry[] => {
  const names = uniqueNames(things.map(({ name }) => name));
  return things.map((fields, index) => ({ name: names[index] ?? '', fields }));
};

/** Roles of bots come and go with the bots: nobody can make them. */
const compareRoles = (
  from: CommunityDocument,
  to: CommunityDocument,
  notes: string[],
): Change[] => {
  const split = ({ roles }: CommunityDocument) => ({
    own: namedEntries(roles.filter(({ managed }) => !managed)),
    managed: namedEntries(roles.filter(({ managed }) => managed)),
  });
  const [one, other] = [split(from), split(to)];
  const managed = compareEntries('roles', one.managed, other.managed);
  for (const { kind, name } of managed) {
    if (kind === 'changed') continue;
    notes.push(`Role ${name} of a bot or integration is only on one side: it comes with the bot.`);
  }
  const changed = managed.filter(({ kind }) => kind === 'changed');
  return [
    ...compareEntries('roles', one.own, other.own),
    ...changed,
    ...reordered('roles', one.own, other.own),
  ];
};

const compareEntries = (section: string, from: Entry[], to: Entry[]): Change[] => {
  const before = new Map(from.map((entry) => [entry.name, entry]));
  const after = new Map(to.map((entry) => [entry.name, entry]));
  return [
    ...to.flatMap(({ name, fields }): Change[] => {
      const was = before.get(name);
      return was
        ? compareFields(section, name, was.fields, fields)
        : [{ section, name, kind: 'added' }];
    }),
    ...from.flatMap(({ name }): Change[] =>
      after.has(name) ? [] : [{ section, name, kind: 'removed' }],
    ),
  ];
};

const compareFields = (
  section: string,
  name: string | undefined,
  from: object,
  to: object,
): Change[] => {
  const [before, after] = [normalize(from), normalize(to)];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const fields = names
    .filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
    .map((field) => ({ field, from: before[field] ?? null, to: after[field] ?? null }));
  return fields.length === 0
    ? []
    : [{ section, ...(name !== undefined && { name }), kind: 'changed', fields }];
};

/** Whether those that both have stand in the same order. */
const reordered = (
  section: string,
  from: readonly { name: string }[],
  to: readonly { name: string }[],
  place?: string,
): Change[] => {
  const common = (one: readonly { name: string }[], other: readonly { name: string }[]) => {
    const names = new Set(other.map(({ name }) => name));
    return one.map(({ name }) => name).filter((name) => names.has(name));
  };
  const [before, after] = [common(from, to), common(to, from)];
  if (before.join('\n') === after.join('\n')) return [];
  const fields = [{ field: 'order', from: before, to: after }];
  return [{ section, ...(place !== undefined && { name: place }), kind: 'reordered', fields }];
};

const groupOf = ({ channel: { type } }: Placed): string => {
  if (type === 'CATEGORY') return 'category';
  return type === 'VOICE' || type === 'STAGE' ? 'voice' : 'text';
};
/** A text channel can become one of announcements; any other type is another channel. */
const typeOf = ({ channel: { type } }: Placed): string => (type === 'ANNOUNCEMENT' ? 'TEXT' : type);

/** One that stands in another category is the same if there is only one of its name and type. */
const compareChannels = (from: CommunityDocument, to: CommunityDocument): Change[] => {
  const hasPeople = [from, to].every(({ channels }) =>
    placeChannels(channels).every(({ channel }) => channel.memberOverwrites !== undefined),
  );
  const [before, after] = [placeChannels(from.channels), placeChannels(to.channels)];
  const pairs = pairChannels(before, after);
  const taken = new Set(pairs.values());
  const fieldsOf = ({ channel, category }: Placed) => {
    const { channels: _, name: __, memberOverwrites, ...fields } = { channels: [], ...channel };
    return { ...fields, category, ...(hasPeople && { memberOverwrites }) };
  };
  const changes = after.flatMap((one): Change[] => {
    const was = pairs.get(one);
    if (!was) return [{ section: 'channels', name: one.path, kind: 'added' }];
    return compareFields('channels', one.path, fieldsOf(was), fieldsOf(one));
  });
  const removed = before
    .filter((one) => !taken.has(one))
    .map(({ path }): Change => ({ section: 'channels', name: path, kind: 'removed' }));
  const orders = [...groupBy(after, siblingsOf)].flatMap(([key, siblings]) =>
    reordered(
      'channels',
      before.filter((one) => siblingsOf(one) === key).map(({ path }) => ({ name: path })),
      siblings.map(({ path }) => ({ name: path })),
      siblings[0]?.category ?? undefined,
    ),
  );
  return [...changes, ...removed, ...orders];
};

const siblingsOf = (one: Placed): string => `${groupOf(one)} ${one.category ?? ''}`;

const pairChannels = (before: Placed[], after: Placed[]): Map<Placed, Placed> => {
  const pairs = new Map<Placed, Placed>();
  const taken = new Set<Placed>();
  const pairBy = (keyOf: (one: Placed) => string) => {
    const open = groupBy(
      before.filter((one) => !taken.has(one)),
      keyOf,
    );
    const waiting = groupBy(
      after.filter((one) => !pairs.has(one)),
      keyOf,
    );
    for (const [key, [one, ...others]] of waiting) {
      const [was, ...more] = open.get(key) ?? [];
      if (!one || !was || others.length + more.length > 0) continue;
      pairs.set(one, was);
      taken.add(was);
    }
  };
  pairBy((one) => `${typeOf(one)} ${one.path}`);
  pairBy((one) =>
    one.channel.type === 'CATEGORY' ? one.path : `${typeOf(one)} ${one.channel.name}`,
  );
  return pairs;
};
