import { expect, test } from 'bun:test';
import { bundleDashboard, firstPageBytes, loadDashboard } from '../build.ts';

test('the first page takes less than 350 kB over the wire', async () => {
  const build = await bundleDashboard();
  const bytes = firstPageBytes(build);
  process.stdout.write(`The dashboard's first page: ${(bytes / 1000).toFixed(1)} kB compressed\n`);
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThan(350_000);
});

test('charts are loaded with the pages that show them, and no validator is bundled', async () => {
  const { script, files } = await bundleDashboard();
  const first = files.find(({ name }) => name === script)?.text ?? '';
  expect(first).not.toContain('recharts');
  expect(files.some(({ text }) => text.includes('recharts'))).toBe(true);
  expect(files.some(({ text }) => text.includes('ZodError'))).toBe(false);
});

test('the cached build is the build of these sources', async () => {
  const fresh = await bundleDashboard();
  expect((await loadDashboard()).script).toBe(fresh.script);
  expect((await loadDashboard()).files.length).toBe(fresh.files.length);
});
