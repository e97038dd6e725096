import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

type Part = { name: string; version: string; licence: string; text: string };

/** The licences of the packages whose files are among these inputs of a bundle, as one text. */
export const thirdPartyNotices = async (inputs: string[]): Promise<string> => {
  const parts = await Promise.all(packageFolders(inputs).map(readPart));
  const sections = parts
    .toSorted((one, other) => one.name.localeCompare(other.name))
    .map(({ name, version, licence, text }) => `${name} ${version} (${licence})\n\n${text}\n`);
  return [`This program contains the work of others:\n`, ...sections].join(
    `\n${'-'.repeat(80)}\n\n`,
  );
};

/** `../../node_modules/@a/b/dist/c.js` → `…/node_modules/@a/b`, each once. */
const packageFolders = (inputs: string[]): string[] => [
  ...new Set(
    inputs.flatMap((path) => path.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/)?.[0] ?? []),
  ),
];

/** Its own licence, and in `notices/` those of what its authors compiled into it. */
const readPart = async (folder: string): Promise<Part> => {
  const { name, version, license } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  );
  const file = (await readdir(folder)).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  if (file === undefined) throw new Error(`${name} comes without its licence`);
  const texts = [await readFile(join(folder, file), 'utf8')];
  const compiledIn = Bun.file(join(import.meta.dir, 'notices', `${name}.txt`));
  if (await compiledIn.exists()) texts.push(await compiledIn.text());
  const text = texts.map((part) => part.trim()).join('\n\n');
  return { name, version, licence: license, text };
};
