import type { Language } from './languages.ts';

type FurtherForms = { ja: never; pl: 'one' | 'few' | 'many' };

/** The plural forms that a text with a number needs, by `Intl.PluralRules`. */
type PluralForms<L extends Language> = { other: string } & Record<
  L extends keyof FurtherForms ? FurtherForms[L] : 'one',
  string
>;

/** Numbers and dates as a language writes them. */
export const formatsOf = <L extends Language>(language: L) => {
  const numbers = new Intl.NumberFormat(language);
  const rules = new Intl.PluralRules(language);
  const dates = new Intl.DateTimeFormat(language, {
    ...{ dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' },
  });
  return {
    /** `count(2, { one: '# day', other: '# days' })` is `2 days`. */
    count(amount: number, forms: PluralForms<L>): string {
      const all: Partial<Record<Intl.LDMLPluralRule, string>> & { other: string } = forms;
      return (all[rules.select(amount)] ?? all.other).replace('#', numbers.format(amount));
    },
    /** In UTC, since the person's time zone is not known. */
    moment: (at: Date): string => `${dates.format(at)} UTC`,
  };
};
