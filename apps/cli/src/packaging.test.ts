import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPackage } from '../build.ts';
import manifest from '../package.json';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-package-'));
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

beforeAll(() => buildPackage(folder));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the package', () => {
  test('names the work of others that is in its file, with their licences', () => {
    const notices = read('THIRD-PARTY');
    const { '@holdfast/mcp': mcp, '@holdfast/sdk': sdk, ...others } = manifest.dependencies;
    expect([mcp, sdk]).toEqual([manifest.version, manifest.version]);
    for (const [name, version] of Object.entries(others)) {
      expect(notices.includes(`\n${name} ${version} (`), name).toBe(true);
    }
    const holders = ['TJ Holowaychuk', 'Stephen Dolan', 'K.Kosako', 'Eemeli Aro', 'Sindre Sorhus'];
    for (const holder of [...holders, 'Colin McDonnell', 'Model Context Protocol a Series']) {
      expect(notices.includes(holder), holder).toBe(true);
    }
  });

  test('has the same notices at the end of its file, which may travel alone', () => {
    const [, atEnd = ''] = read('holdfast.mjs').split('\n/*\n');
    expect(atEnd.includes('Stephen Dolan') && atEnd.endsWith('*/\n')).toBe(true);
  });

  test('has nothing in its file that is parsed at every start and used by few commands', () => {
    const [script = ''] = read('holdfast.mjs').split('\n/*\n');
    // Of string-width, the protocol for assistants, YAML and jq, in this order.
    for (const word of ['RGI_Emoji', 'notifications/initialized', 'BLOCK_FOLDED', 'WebAssembly']) {
      expect(script.includes(word), word).toBe(false);
    }
  });
});
