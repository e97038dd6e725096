import { writeFile } from 'node:fs/promises';
import packageJson from '../../package.json' with { type: 'json' };
import { allCommands } from '../commands/all.ts';
import { manPage } from './man.ts';
import { cliReference } from './reference.ts';

/** The files that are derived from the commands, and their text as it would be now. */
export const derivedDocs = (): { path: URL; text: string }[] => [
  { path: new URL('../../../../docs/cli.md', import.meta.url), text: cliReference(allCommands()) },
  {
    path: new URL('../../../../docs/holdfast.1', import.meta.url),
    text: manPage(allCommands(), packageJson.version),
  },
];

if (import.meta.main) for (const { path, text } of derivedDocs()) await writeFile(path, text);
