import { expect, test } from 'bun:test';
import { apiDocs, apiDocsPath } from '../src/main/write-api-docs.ts';

test('docs/api.md says what the contract says', async () => {
  const written = await Bun.file(apiDocsPath).text();
  const isCurrent = written === apiDocs();
  expect(isCurrent, 'Run: npx bun apps/server/src/main/write-api-docs.ts').toBe(true);
});
