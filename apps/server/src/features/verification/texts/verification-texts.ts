import type { Language } from '../../../http/languages/languages.ts';
import { languageOf } from '../../../http/languages/page-language.ts';
import type { PageContext } from '../pages/page-context.ts';
import { de } from './de.ts';
import { en, type VerificationTexts } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { ja } from './ja.ts';
import { pl } from './pl.ts';
import { pt } from './pt.ts';
import { tr } from './tr.ts';

export const verificationTexts: Record<Language, VerificationTexts> = {
  ...{ en, de, fr, es, pt, pl, tr, ja },
};

/** In the language of the member who asks for the page. */
export const textsOf = (context: PageContext): VerificationTexts =>
  verificationTexts[languageOf(context)];
