import { expect, test } from 'bun:test';
import { Hono } from 'hono';
import type { HttpEnv } from '../context.ts';
import { formatsOf } from './formats.ts';
import { chooseLanguage, type Language } from './languages.ts';
import { languageOf, mountLanguageSwitch } from './page-language.ts';

test.each<[string | undefined, Language]>([
  [undefined, 'en'],
  ['', 'en'],
  ['de', 'de'],
  ['de-AT,de;q=0.9,en;q=0.8', 'de'],
  ['PT-br', 'pt'],
  ['en;q=0.3, ja;q=0.9', 'ja'],
  ['ko-KR,ko;q=0.9,fr;q=0.8,en;q=0.7', 'fr'],
  ['de;q=0, pl;q=0.1', 'pl'],
  ['ar, *;q=0.5, tr;q=0.4', 'en'],
  ['tr;q=2, es;q=0.1', 'es'],
  ['tr;q=high', 'en'],
  ['*', 'en'],
  ['constructor, __proto__, es', 'es'],
  [';;;q=,,=;', 'en'],
])('a browser that accepts %p reads pages in %p', (header, language) => {
  expect(chooseLanguage(header)).toBe(language);
});

test('a header without end is not read to its end', () => {
  expect(chooseLanguage(`${'xx,'.repeat(10_000)}de`)).toBe('en');
});

const app = new Hono<HttpEnv>();
mountLanguageSwitch(app);
app.get('/page', (context) => context.text(languageOf(context)));

const ask = (path: string, headers: Record<string, string> = {}) => app.request(path, { headers });

test('a chosen language is kept for the visit and wins over the browser', async () => {
  const chosen = await ask('/language?to=pl&back=%2Fpage');
  expect([chosen.status, chosen.headers.get('location')]).toEqual([303, '/page']);
  const line = chosen.headers.get('set-cookie') ?? '';
  expect(line).toStartWith('__Host-language=pl; ');
  expect(line).not.toMatch(/max-age|expires/i);
  const [cookie = ''] = line.split(';');
  const preferring = { 'accept-language': 'de' };
  expect(await (await ask('/page', preferring)).text()).toBe('de');
  expect(await (await ask('/page', { ...preferring, cookie })).text()).toBe('pl');
  const forged = { ...preferring, cookie: '__Host-language=klingon' };
  expect(await (await ask('/page', forged)).text()).toBe('de');
});

test.each([
  ['https://elsewhere.example/page', '/'],
  ['//elsewhere.example', '/'],
  ['/\\elsewhere.example', '/'],
  ['/x/..//elsewhere.example', '/'],
  ['javascript:alert(1)', '/'],
  ['/verify/1?code=2#3', '/verify/1'],
  ['', '/'],
])('the switch leads from %p to %p, never to another site', async (back, path) => {
  const reply = await ask(`/language?${new URLSearchParams({ to: 'de', back })}`);
  expect(reply.headers.get('location')).toBe(path);
});

test('an unknown language changes nothing', async () => {
  const reply = await ask('/language?to=klingon&back=/page');
  expect([reply.status, reply.headers.get('set-cookie')]).toEqual([303, null]);
});

test('numbers choose the plural form of their language', () => {
  const polish = { one: '# dzień', few: '# dni', many: '# dni (wiele)', other: '# dnia' };
  const { count } = formatsOf('pl');
  expect([1, 3, 5, 22].map((days) => count(days, polish))).toEqual([
    '1 dzień',
    '3 dni',
    '5 dni (wiele)',
    '22 dni',
  ]);
  expect(formatsOf('de').count(12_000, { one: '# Tag', other: '# Tage' })).toBe('12.000 Tage');
});
