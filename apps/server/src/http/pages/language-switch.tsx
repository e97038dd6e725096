/** @jsxImportSource hono/jsx */
import { raw } from 'hono/html';
import { type Language, languages } from '../languages/languages.ts';
import { switchHref } from '../languages/page-language.ts';
import { pageTexts } from './texts/page-texts.ts';

const globe =
  '<svg class="globe" viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.8"><circle cx="12" cy="12" r="9"/><path d="M3 12h18M12 3c3 3 3.6 6 3.6 9s-.6 6-3.6 9c-3-3-3.6-6-3.6-9s.6-6 3.6-9"/></svg>';

const all = Object.entries(languages).map(([code, { name }]) => ({
  // `Object.entries` forgets the type of the keys.
  code: code as Language,
  name,
}));

/** Every language by its own name, so that whoever reads none of the page finds theirs. */
export const LanguageSwitch = ({ language, back }: { language: Language; back: string }) => (
  <details class="languages">
    <summary>
      {raw(globe)} <span class="unseen">{pageTexts[language].language}: </span>
      {languages[language].name}
    </summary>
    <ul>
      {all.map(({ code, name }) => (
        <li>
          <a
            href={switchHref(code, back)}
            lang={code}
            hreflang={code}
            rel="nofollow"
            aria-current={code === language ? 'true' : undefined}
          >
            {name}
          </a>
        </li>
      ))}
    </ul>
  </details>
);
