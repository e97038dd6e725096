import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './harness/eventually.ts';

/** A run of test files that never gives its loop back, watched by a process of its own. */
const program = `
  import { watchForHang } from '${import.meta.dir}/hang.ts';
  import { writeFileSync } from 'node:fs';
  const [folder] = process.argv.slice(-1);
  const tests = Bun.spawn([process.execPath, '-e', 'for (;;);'], { stdio: ['ignore', 'ignore', 'ignore'] });
  writeFileSync(folder + '/' + tests.pid, 'some/busy.test.ts');
  watchForHang(folder, tests, 500);
  process.exit((await tests.exited) === 137 ? 3 : 4);
`;

test('a run that hangs is ended, and says in which file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-hang-'));
  const watching = Bun.spawn([process.execPath, '-e', program, folder], { stderr: 'pipe' });
  await eventually(20_000, () => expect(watching.exitCode).toBe(3));
  expect(await new Response(watching.stderr).text()).toContain('Running: some/busy.test.ts');
  rmSync(folder, { recursive: true });
});
