import { test } from 'bun:test';
import { expectTranslated } from '../../../../test/harness/languages.ts';
import { pageTexts } from './page-texts.ts';

test('what every page says, and every failure, is written in every language', () => {
  expectTranslated(pageTexts);
});
