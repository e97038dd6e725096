import { type CommandSpec, type Invocation, serverArgument } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError } from '../exit-codes.ts';
import { findServer } from '../operations/resolve.ts';
import { textOf } from '../option-values.ts';
import { assetsOf, type Images, writeAssets } from './assets.ts';
import { isStream } from './community-file.ts';
import { placeChannels } from './names.ts';
import { withPassing } from './passing.ts';
import {
  type Reading,
  readImages,
  readNamedBackup,
  type Server,
  tell,
  tellWarnings,
} from './source.ts';
import { firstWords, replaceFile, requireReplaceable } from './write-file.ts';
import { toYaml } from './yaml.ts';

const head = (server: string, unread: readonly string[]): string[] => [
  `${firstWords} ${server.replace(/\s+/g, ' ')}, for: holdfast diff, holdfast apply`,
  '',
  'Roles are referred to by name, channels by their path: category/name.',
  'Fields with their usual value are left out. A name that is changed here is another thing.',
  ...(unread.length > 0 ? [`Not in here, because it could not be read: ${unread.join(', ')}`] : []),
];

export const exportCommand: CommandSpec = {
  words: ['export'],
  summary: "Write a server's structure to a YAML file",
  description:
    'Settings, roles, channels, emojis, stickers, soundboard, AutoMod, onboarding and welcome screen, by names instead of ids, with the images in a folder beside the file. The server is read by a backup that is deleted afterwards. What cannot be read is left out and told, and the exit code is 8.',
  arguments: [
    serverArgument,
    {
      name: 'file',
      description: 'where to; holdfast.yaml, unless given; `-` for standard output, without images',
      isOptional: true,
    },
  ],
  options: [
    { flags: '--backup <id>', description: 'export a backup instead: its id, `latest` or `good`' },
    { flags: '--force', description: 'overwrite a file that is no export' },
    { flags: '--people', description: 'with permissions of single people, by their id' },
  ],
  outputFields: ['file', 'assets', 'images', 'roles', 'channels', 'unread'],
  examples: [
    { does: 'The server as it is now', line: 'holdfast export Harbour harbour.yaml' },
    { does: 'As it was', line: 'holdfast export Harbour before.yaml --backup good' },
  ],
  async run({ context: given, args, options }) {
    const [name = '', file = 'holdfast.yaml'] = args;
    // Nothing else may be in a document that goes to a pipe.
    const context = isStream(file) ? withoutProgress(given) : given;
    if (!isStream(file) && options.force !== true) await requireReplaceable(file);
    const holdfast = await context.holdfast();
    const server = await findServer(holdfast, name);
    const target = { server, file };
    const backup = textOf(options.backup);
    const withPeople = options.people === true;
    await (backup === undefined
      ? withPassing(context, server, async (_, passing) =>
          write(context, target, await passing.read(withPeople)),
        )
      : write(context, target, await readNamedBackup(holdfast, server, backup, withPeople)));
  },
};

const withoutProgress = (context: Context): Context => ({
  ...context,
  output: { ...context.output, emit: () => undefined },
});

const write = async (
  context: Invocation['context'],
  { server, file }: { server: Server; file: string },
  { backupId, document, unread, warnings }: Reading,
): Promise<void> => {
  const images = await readImages(await context.holdfast(), server, backupId);
  tellWarnings(context, warnings);
  const comments = head(server.name, unread);
  if (isStream(file)) {
    context.io.stdout.write(await toYaml(document, comments));
    tellImages(context, images);
  } else {
    const readable = await writeAssets(file, document, images);
    await replaceFile(file, await toYaml(readable, comments));
    await context.output.show({
      ...{ file, assets: images.size > 0 ? assetsOf(file) : null, images: images.size },
      ...{ roles: document.roles.length, channels: placeChannels(document.channels).length },
      ...(unread.length > 0 && { unread }),
    });
  }
  if (unread.length > 0) {
    throw new CommandError('jobFailed', `Not read, so not in the file: ${unread.join(', ')}`);
  }
};

const tellImages = (context: Context, { size }: Images): void => {
  if (size > 0)
    tell(context, `${size} images are not written: give a file to have them beside it.`);
};
