import { expect, test } from 'bun:test';
import { bundleDashboard, firstPageBytes, loadDashboard } from '../build.ts';

test('the first page takes less than 195 kB over the wire', async () => {
  const build = await bundleDashboard();
  const bytes = firstPageBytes(build);
  process.stdout.write(`The dashboard's first page: ${(bytes / 1000).toFixed(1)} kB compressed\n`);
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThan(195_000);
});

test('the first page needs no more than two scripts, and other pages share one more', async () => {
  const { scripts, files } = await bundleDashboard();
  expect(scripts.length).toBe(2);
  const members = files.find(({ name }) => name.startsWith('members-'));
  expect(members?.text.match(/from"\.\//g)?.length).toBeLessThan(20);
});

test('charts are loaded with the pages that show them, and no validator is bundled', async () => {
  const { scripts, files } = await bundleDashboard();
  const first = files.filter(({ name }) => scripts.includes(name)).map(({ text }) => text);
  expect(first.join()).not.toContain('recharts');
  expect(files.some(({ text }) => text.includes('recharts'))).toBe(true);
  expect(files.some(({ text }) => text.includes('ZodError'))).toBe(false);
});

test('the cached build is the build of these sources', async () => {
  const fresh = await bundleDashboard();
  expect((await loadDashboard()).scripts).toEqual(fresh.scripts);
  expect((await loadDashboard()).files.length).toBe(fresh.files.length);
});
