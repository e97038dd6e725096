import type { Output } from '@holdfast/sdk';

/** A server's structure by names, as the service reads and writes it. */
export type CommunityDocument = Output<'getBackupDocument'>;
export type Channel = CommunityDocument['channels'][number];

export const imageFields = [
  'icon',
  'splash',
  'discoverySplash',
  'banner',
  'image',
  'sound',
] as const;

/** What can have an image; `label` names it for people. */
const pictured = (document: CommunityDocument): { label: string; thing: object }[] => [
  { label: 'server', thing: document.settings },
  ...document.roles.map((thing) => ({ label: `role-${thing.name}`, thing })),
  ...(document.emojis ?? []).map((thing) => ({ label: `emoji-${thing.name}`, thing })),
  ...(document.stickers ?? []).map((thing) => ({ label: `sticker-${thing.name}`, thing })),
  ...(document.soundboard ?? []).map((thing) => ({ label: `sound-${thing.name}`, thing })),
];

/** The document with another name for each of its images. */
export const renameImages = (
  document: CommunityDocument,
  rename: (name: string, label: string) => string,
): CommunityDocument => {
  const copy = structuredClone(document);
  for (const { label, thing } of pictured(copy)) {
    // Whatever has an image has it in one of these fields.
    const fields = thing as Partial<Record<(typeof imageFields)[number], string | null>>;
    for (const field of imageFields) {
      const name = fields[field];
      if (typeof name === 'string') fields[field] = rename(name, `${label}-${field}`);
    }
  }
  return copy;
};

export const imagesOf = (document: CommunityDocument): string[] => {
  const names = new Set<string>();
  renameImages(document, (name) => {
    names.add(name);
    return name;
  });
  return [...names];
};

/** Whether it says which people may do what. */
export const namesPeople = ({ channels }: CommunityDocument): boolean =>
  channels.some(
    (channel) =>
      channel.memberOverwrites !== undefined ||
      ('channels' in channel &&
        channel.channels?.some(({ memberOverwrites }) => memberOverwrites !== undefined)),
  );
