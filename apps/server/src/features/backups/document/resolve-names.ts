import { permissionBit } from '../../../platform/permission-names.ts';
import { idOfRawReference, uniqueNames } from './names.ts';

type Named = {
  /** By the names that the document has for them. */
  roles: ReadonlyMap<string, string>;
  channels: readonly { path: string; id: string }[];
  emojis: readonly { name: string; id: string }[];
};

/** Finds what a document refers to, and collects what it does not find. */
export type Resolver = {
  issues: string[];
  /** For one part of the document, whose place is named in issues. */
  at(place: string): {
    role(field: string, reference: string): string;
    channel(field: string, reference: string): string;
    emoji(
      field: string,
      reference: string | undefined,
    ): { emojiId: string | null; emojiName: string | null };
    permissions(field: string, names: readonly string[] | undefined): string;
    /** The entries, where none is given twice. */
    once<Entry>(field: string, entries: Entry[], keyOf: (entry: Entry) => string): Entry[];
  };
};

/** More than that nobody reads. */
const mostIssues = 50;

export const createResolver = ({ roles, channels, emojis }: Named): Resolver => {
  const issues: string[] = [];
  const idsByName = (things: readonly { name: string; id: string }[]) => {
    const names = uniqueNames(things.map(({ name }) => name));
    return new Map(things.map(({ id }, index) => [names[index], id]));
  };
  const ids = {
    role: roles,
    channel: new Map(channels.map(({ path, id }) => [path, id])),
    emoji: idsByName(emojis),
  };
  const report = (issue: string) => {
    if (issues.length < mostIssues) issues.push(issue);
  };
  const find = (sort: keyof typeof ids, place: string, reference: string): string => {
    const id = ids[sort].get(reference) ?? idOfRawReference(reference);
    if (id === undefined) {
      report(`${place}: The document has no ${sort} ${JSON.stringify(reference)}`);
    }
    return id ?? '';
  };
  return {
    issues,
    at: (place) => ({
      role: (field, reference) => find('role', `${place}.${field}`, reference),
      channel: (field, reference) => find('channel', `${place}.${field}`, reference),
      emoji(field, reference) {
        if (reference === undefined) return { emojiId: null, emojiName: null };
        const [, name] = /^:(.+):$/s.exec(reference) ?? [];
        if (name === undefined) return { emojiId: null, emojiName: reference };
        return { emojiId: find('emoji', `${place}.${field}`, name), emojiName: null };
      },
      permissions(field, names = []) {
        let set = 0n;
        for (const name of names) {
          const bit = permissionBit(name);
          if (bit === undefined) report(`${place}.${field}: There is no permission ${name}`);
          set |= bit ?? 0n;
        }
        return set.toString();
      },
      once(field, entries, keyOf) {
        const keys = entries.map(keyOf);
        if (new Set(keys).size < keys.length) report(`${place}.${field}: One is given twice`);
        return entries;
      },
    }),
  };
};
