import { mapPlainData } from '../../../kernel/plain-data.ts';
import type { SectionName } from '../snapshot/snapshot.ts';

/** Sections that are about people, and nothing else. */
const sectionsOfPeople: readonly SectionName[] = ['bans', 'memberRoles', 'threads', 'messages'];

export const isAboutPeople = (name: SectionName): boolean => sectionsOfPeople.includes(name);

/** The entries of another section without overwrites for people and without mentions of them. */
export const leaveOutPeople = (entries: readonly unknown[]): unknown[] =>
  entries.map((entry) =>
    mapPlainData(entry, (value) => {
      if (typeof value === 'string') return { to: withoutMentions(value) };
      if (!Array.isArray(value)) return undefined;
      return { to: value.filter((one) => !isMemberOverwrite(one)), isOpen: true };
    }),
  );

const isMemberOverwrite = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'member';

/**
 * An id as the only text is that of a thing, and part of a longer word it is none. In a text, one that is
 * not of a channel, role or emoji may be a person's.
 */
const withoutMentions = (text: string): string =>
  /^\d+$/.test(text)
    ? text
    : text.replace(/<@!?\d{1,20}>/g, '@someone').replace(/(?<![#&:\w])\d{15,20}(?!\w)/g, '000');
