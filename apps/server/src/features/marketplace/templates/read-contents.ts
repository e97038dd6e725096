import { BlobBroken, StorageUnavailable } from '../../../integrations/blobs/blob-store.ts';
import { conflict, notFound } from '../../../kernel/errors.ts';
import { describeContents } from '../../backups/contents/describe-contents.ts';
import { noneErased } from '../../backups/erasure/redact.ts';
import { createObjectReader } from '../../backups/objects/read-objects.ts';
import { readSnapshot } from '../../backups/snapshot/read-snapshot.ts';
import { findTemplate } from '../queries/templates.ts';
import type { TemplateDependencies } from './make-template.ts';

/** What a buyer sees before paying: enough to judge the structure, too little to copy it. */
export const readTemplateContents = async (
  { db, blobs }: Pick<TemplateDependencies, 'db' | 'blobs'>,
  listingId: string,
) => {
  const template = await findTemplate(db, listingId);
  if (!template?.manifest) throw notFound('Template');
  const read = createObjectReader(db, blobs, template.accountId);
  const { manifest } = template;
  // A template holds no people, so erasures need not be applied.
  const snapshot = await readSnapshot(read, manifest, ['roles', 'channels'], noneErased).catch(
    throwUnreadable,
  );
  // Who may do what is not shown.
  const bare = snapshot.channels?.map((channel) => ({ ...channel, overwrites: [] }));
  const { roles, channels } = describeContents({ ...snapshot, channels: bare }, new Map());
  return {
    roles: roles.map(({ name }) => ({ name })),
    channels: channels.map(({ children, ...channel }) => ({
      ...named(channel),
      children: children.map(named),
    })),
  };
};

type Channel = ReturnType<typeof describeContents>['channels'][number];

const named = ({ type, name }: Pick<Channel, 'type' | 'name'>) => ({ type, name });

const throwUnreadable = (error: unknown): never => {
  if (error instanceof BlobBroken || error instanceof StorageUnavailable) {
    throw conflict('This template cannot be read right now');
  }
  throw error;
};
