import { writeFile } from 'node:fs/promises';
import { type CommandSpec, serverArgument } from '../command.ts';
import { findServer } from '../operations/resolve.ts';
import { textOf } from '../option-values.ts';
import { assetsOf, writeAssets } from './assets.ts';
import { placeChannels } from './names.ts';
import { type Reading, readImages, readNamedBackup, withReading } from './source.ts';
import { toYaml } from './yaml.ts';

const head = (server: string): string[] => [
  `The structure of ${server.replace(/\s+/g, ' ')}, for: holdfast diff, holdfast apply`,
  '',
  'Roles are referred to by name, channels by their path: category/name.',
  'Fields with their usual value are left out. A name that is changed here is another thing.',
];

export const exportCommand: CommandSpec = {
  words: ['export'],
  summary: "Write a server's structure to a YAML file",
  description:
    'Settings, roles, channels, emojis, stickers, soundboard, AutoMod, onboarding and welcome screen, by names instead of ids, with the images in a folder beside the file. The server is read by a backup that is deleted afterwards.',
  arguments: [
    serverArgument,
    { name: 'file', description: 'where to; holdfast.yaml, unless given', isOptional: true },
  ],
  options: [
    { flags: '--backup <id>', description: 'export a backup instead: its id, `latest` or `good`' },
    { flags: '--people', description: 'with permissions of single people, by their id' },
  ],
  examples: [
    { does: 'The server as it is now', line: 'holdfast export Harbour harbour.yaml' },
    { does: 'As it was', line: 'holdfast export Harbour before.yaml --backup good' },
  ],
  async run({ context, args, options }) {
    const [given = '', file = 'holdfast.yaml'] = args;
    const holdfast = await context.holdfast();
    const server = await findServer(holdfast, given);
    const write = async ({ backupId, document }: Reading) => {
      const images = await readImages(holdfast, server, backupId);
      const readable = await writeAssets(file, document, images);
      await writeFile(file, await toYaml(readable, head(server.name)));
      return {
        ...{ file, assets: images.size > 0 ? assetsOf(file) : null, images: images.size },
        ...{ roles: document.roles.length, channels: placeChannels(document.channels).length },
      };
    };
    const backup = textOf(options.backup);
    const withPeople = options.people === true;
    const written =
      backup === undefined
        ? await withReading(context, server, withPeople, (_, reading) => write(reading))
        : await write(await readNamedBackup(holdfast, server, backup, withPeople));
    await context.output.show(written);
  },
};
