import { expect, test } from 'bun:test';
import { looksOf, previewUrl, settingsOf } from './looks.ts';

const stored = {
  ...{ title: 'Ahoy', welcome: null, accent: '#2F5D62' },
  ...{ logoUploadId: 'l', logoUrl: 'https://x.example/uploads/abc.webp' },
  ...{ backgroundUploadId: null, backgroundUrl: null },
};

test('settings become fields and fields become the same settings', () => {
  const { logoUrl, backgroundUrl, ...settings } = stored;
  expect(settingsOf(looksOf(stored))).toEqual(settings);
});

test('a field that was emptied goes back to its default', () => {
  const looks = { ...looksOf(stored), title: '  ', accent: '', logo: null };
  expect(settingsOf(looks)).toEqual({
    ...{ title: null, welcome: null, accent: null },
    ...{ logoUploadId: null, backgroundUploadId: null },
  });
});

test('the preview is asked for what is in the fields', () => {
  const url = new URL(previewUrl('s1', looksOf(stored), 'dark'), 'https://x.example');
  expect(url.pathname).toBe('/dashboard/verify-preview/s1');
  expect(Object.fromEntries(url.searchParams)).toEqual({
    ...{ scheme: 'dark', title: 'Ahoy', accent: '#2F5D62', logo: 'abc' },
  });
});
