import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { addHoverComments } from './hover-comments.ts';

const root = import.meta.dir;
const compiler = join(root, '../../node_modules/typescript/bin/tsc');

/**
 * The declarations of the entries and of what they import, by file name. Those of the contract are not
 * among them: its types are expanded.
 */
export const buildDeclarations = async (entries: string[]): Promise<Map<string, string>> => {
  const scratch = await mkdtemp(join(tmpdir(), 'holdfast-sdk-'));
  try {
    const project = join(root, 'tsconfig.build.json');
    const tsc = Bun.spawn([process.execPath, compiler, '-p', project, '--outDir', scratch]);
    const output = await new Response(tsc.stdout).text();
    if ((await tsc.exited) !== 0) throw new Error(`No declarations:\n${output}`);
    return await readReachable(join(scratch, 'sdk/src'), entries);
  } finally {
    await rm(scratch, { recursive: true });
  }
};

const readReachable = async (folder: string, entries: string[]): Promise<Map<string, string>> => {
  const found = new Map<string, string>();
  const waiting = entries.map((entry) => entry.replace(/\.ts$/, '.d.ts'));
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue;
    const text = await Bun.file(join(folder, name)).text();
    found.set(name, name === 'operations.d.ts' ? addHoverComments(text) : text);
    const from = dirname(join(folder, name));
    for (const [, specifier = ''] of text.matchAll(relativeImport)) {
      waiting.push(relative(folder, join(from, specifier.replace(/\.ts$/, '.d.ts'))));
    }
  }
  return found;
};

const relativeImport = /from '(\.[^']+)'/g;

/** The declarations as those of an ES module or of a CommonJS module, whose files end differently. */
export const asModule = (text: string, ending: 'js' | 'cjs'): string =>
  text.replace(relativeImport, (statement) => statement.replace(/\.ts'$/, `.${ending}'`));
