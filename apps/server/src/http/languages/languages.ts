/** The languages of member pages, with the name that their speakers use and their direction of writing. */
export const languages = {
  en: { name: 'English', direction: 'ltr' },
  de: { name: 'Deutsch', direction: 'ltr' },
  fr: { name: 'Français', direction: 'ltr' },
  es: { name: 'Español', direction: 'ltr' },
  pt: { name: 'Português', direction: 'ltr' },
  pl: { name: 'Polski', direction: 'ltr' },
  tr: { name: 'Türkçe', direction: 'ltr' },
  ja: { name: '日本語', direction: 'ltr' },
} as const satisfies Record<string, { name: string; direction: 'ltr' | 'rtl' }>;

export type Language = keyof typeof languages;

export const defaultLanguage: Language = 'en';

const isLanguage = (tag: string): tag is Language => Object.hasOwn(languages, tag);

/** `pt-BR` and `PT` are both `pt`; undefined for a language that the pages do not have. */
export const languageOfTag = (tag: string): Language | undefined => {
  const [primary = ''] = tag.trim().toLowerCase().split('-');
  return isLanguage(primary) ? primary : undefined;
};

/**
 * The language that a browser prefers among ours, by its `Accept-Language` header: the highest quality,
 * and of equal ones the first. A quality of 0 refuses a language, and `*` accepts any.
 */
export const chooseLanguage = (header: string | undefined): Language => {
  const ranges = (header ?? '').split(',', mostRanges).map(parseRange);
  const accepted = ranges.filter(({ quality }) => quality > 0);
  accepted.sort((one, other) => other.quality - one.quality);
  for (const { tag } of accepted) {
    const language = tag === '*' ? defaultLanguage : languageOfTag(tag);
    if (language) return language;
  }
  return defaultLanguage;
};

/** More than any browser sends. */
const mostRanges = 50;

/** A quality that cannot be read counts as 0: the range is ignored. */
const parseRange = (range: string): { tag: string; quality: number } => {
  const [tag = '', ...parameters] = range.split(';').map((part) => part.trim());
  const given = parameters.find((parameter) => /^q\s*=/i.test(parameter));
  if (given === undefined) return { tag, quality: 1 };
  const quality = /^q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i.exec(given)?.[1];
  return { tag, quality: Number(quality ?? 0) };
};
