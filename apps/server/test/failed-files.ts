import { existsSync, readFileSync } from 'node:fs';

const suite = /<testsuite [^>]*\bfile="([^"]+)"[^>]*\bfailures="(\d+)"/g;

/** Of these files those that failed by Bun's JUnit report. One that did not load, or did not end, is not in it. */
export function failedFiles(files: string[], report: string): string[] {
  const text = existsSync(report) ? readFileSync(report, 'utf8') : '';
  const suites = Map.groupBy(text.matchAll(suite), ([, file]) => file);
  return files.filter((file) => {
    // Each `describe` is a suite of its own, below that of its file.
    const ofFile = suites.get(file.replace(/^\.\//, '')) ?? [];
    return ofFile.length === 0 || ofFile.some(([, , failures]) => failures !== '0');
  });
}
