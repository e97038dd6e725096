import type { Context } from 'hono';
import type { HttpEnv } from '../../../http/context.ts';
import { formatsOf } from '../../../http/languages/formats.ts';
import type { Language } from '../../../http/languages/languages.ts';
import { languageOf } from '../../../http/languages/page-language.ts';
import { de } from './de.ts';
import { en, type MeTexts } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { ja } from './ja.ts';
import { pl } from './pl.ts';
import { pt } from './pt.ts';
import { tr } from './tr.ts';

export const meTexts: Record<Language, MeTexts> = { en, de, fr, es, pt, pl, tr, ja };

/** The language of the person who asks, its texts, and how it writes a moment. */
export const wordsOf = (context: Context<HttpEnv>) => {
  const language = languageOf(context);
  return { language, texts: meTexts[language], moment: formatsOf(language).moment };
};

export type Words = ReturnType<typeof wordsOf>;
