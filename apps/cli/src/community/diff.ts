import type { Holdfast } from '@holdfast/sdk';
import { type CommandSpec, serverArgument } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError } from '../exit-codes.ts';
import { findServer } from '../operations/resolve.ts';
import { isStream, readCommunityFile } from './community-file.ts';
import { compareDocuments, type Side } from './compare.ts';
import { type CommunityDocument, namesPeople } from './document.ts';
import { countLine, formatChanges } from './format-changes.ts';
import { withPassing } from './passing.ts';
import { isFile, readNamedBackup, type Server, tellWarnings } from './source.ts';

const sides = 'a file (`-` for standard input), `live`, or a backup: its id, `latest` or `good`';

export const diffCommand: CommandSpec = {
  words: ['diff'],
  summary: 'Compare a file, a backup and the server as it is',
  description: `Says what turns the first side into the second. Each side is ${sides}. The exit code is 0 where nothing differs, 7 where something does, and 8 where nothing differs of what could be read, but not everything could.`,
  arguments: [
    serverArgument,
    { name: 'from', description: sides },
    { name: 'to', description: `${sides}; live, unless given`, isOptional: true },
  ],
  outputFields: ['differs', 'from', 'to', 'changes', 'unread', 'warnings', 'notes'],
  examples: [
    { does: 'Has somebody changed the server', line: 'holdfast diff Harbour harbour.yaml' },
    { does: 'What an apply would change', line: 'holdfast diff Harbour live harbour.yaml' },
    { does: 'Since the last good backup', line: 'holdfast diff Harbour good live' },
  ],
  async run({ context, args }) {
    const [given = '', from = '', to = 'live'] = args;
    if (isStream(from) && isStream(to)) {
      throw new CommandError('usage', 'Standard input can be one of the sides, not both');
    }
    const files = await readFiles(context, [from, to]);
    const holdfast = await context.holdfast();
    const server = await findServer(holdfast, given);
    const [before, after] = await readSides(context, holdfast, server, {
      files,
      given: [from, to],
    });
    const warnings = [...before.warnings, ...after.warnings];
    tellWarnings(context, warnings);
    const comparison = compareDocuments(before, after);
    const { changes, unread, notes } = comparison;
    await context.output.show(
      { differs: changes.length > 0, from, to, changes, unread, warnings, notes },
      () => formatChanges(comparison, context.output),
    );
    if (changes.length > 0) throw new CommandError('drift', countLine(changes));
    if (unread.length > 0) {
      throw new CommandError('jobFailed', `Not read, so not compared: ${unread.join(', ')}`);
    }
  },
};

type ReadSide = Side & { warnings: string[] };

/** Before anything is asked: a file may be wrong, and whether one names people decides how others are read. */
const readFiles = async (
  context: Context,
  given: [string, string],
): Promise<Map<string, CommunityDocument>> => {
  const files = new Map<string, CommunityDocument>();
  for (const side of given.filter(isFile)) {
    const { document, warnings } = await readCommunityFile(context.io, side);
    files.set(side, document);
    tellWarnings(context, warnings);
  }
  return files;
};

type Sides = { files: Map<string, CommunityDocument>; given: [string, string] };

const readSides = async (
  context: Context,
  holdfast: Holdfast,
  server: Server,
  { files, given }: Sides,
): Promise<[ReadSide, ReadSide]> => {
  const withPeople = [...files.values()].some(namesPeople);
  const read = async (side: string): Promise<ReadSide> => {
    const document = files.get(side);
    if (document) return { document, isFile: true, warnings: [] };
    if (side !== 'live') return readNamedBackup(holdfast, server, side, withPeople);
    return withPassing(context, server, (_, passing) => passing.read(withPeople));
  };
  return [await read(given[0]), await read(given[1])];
};
