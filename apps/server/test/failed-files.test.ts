import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failedFiles } from './failed-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-report-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a file failed by any of its suites, or by not being in the report', () => {
  const report = join(folder, 'report.xml');
  writeFileSync(
    report,
    `<testsuite name="a" file="a.test.ts" tests="2" failures="1">
      <testsuite name="in it" file="a.test.ts" tests="1" failures="0"></testsuite>
    </testsuite>
    <testsuite name="b" file="b.test.ts" tests="1" failures="0"></testsuite>`,
  );
  const files = ['./a.test.ts', './b.test.ts', './c.test.ts'];
  expect(failedFiles(files, report)).toEqual(['./a.test.ts', './c.test.ts']);
  expect(failedFiles(files, join(folder, 'none.xml'))).toEqual(files);
});
