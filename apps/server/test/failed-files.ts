import { existsSync, readFileSync } from 'node:fs';

const suite = /<testsuite [^>]*\bfile="([^"]+)"[^>]*\bfailures="(\d+)"/g;

/** Of these files those that failed by Bun's JUnit report. One that did not load, or did not end, is not in it. */
export function failedFiles(files: string[], report: string): string[] {
  const text = existsSync(report) ? readFileSync(report, 'utf8') : '';
  const failures = new Map([...text.matchAll(suite)].map(([, file, count]) => [file, count]));
  return files.filter((file) => failures.get(file.replace(/^\.\//, '')) !== '0');
}
