import type { Language } from '../../languages/languages.ts';
import { de } from './de.ts';
import { en, type PageTexts } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { ja } from './ja.ts';
import { pl } from './pl.ts';
import { pt } from './pt.ts';
import { tr } from './tr.ts';

export const pageTexts: Record<Language, PageTexts> = { en, de, fr, es, pt, pl, tr, ja };
