import { expect, test } from 'bun:test';
import { cdnUrlOf, normalizeApiUrl } from './urls.ts';

test.each([
  ['https://discord.com/api', 'https://discord.com/api'],
  ['https://discord.com/api/v10', 'https://discord.com/api'],
  ['https://discord.com/api/v10/', 'https://discord.com/api'],
  ['http://127.0.0.1:3001', 'http://127.0.0.1:3001/api'],
  ['http://127.0.0.1:3001/', 'http://127.0.0.1:3001/api'],
  ['https://proxy.example/platform/', 'https://proxy.example/platform'],
])('the API said to be at %s is at %s', (given, meant) => {
  expect(normalizeApiUrl(given)).toBe(meant);
  expect(normalizeApiUrl(meant)).toBe(meant);
});

test.each([
  ['https://discord.com/api', 'https://cdn.discordapp.com'],
  ['https://notdiscord.com/api', 'https://notdiscord.com/cdn'],
  ['http://127.0.0.1:3001/api', 'http://127.0.0.1:3001/cdn'],
])('the pictures of %s are at %s', (apiUrl, cdnUrl) => {
  expect(cdnUrlOf(apiUrl)).toBe(cdnUrl);
});
