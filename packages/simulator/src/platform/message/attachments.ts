import { mimeOfFileName } from '../cdn/images.ts';
import type { Attachment } from '../guild/conversation.ts';
import type { Guild } from '../guild/guild.ts';
import { attachmentKey, type World } from '../guild/world.ts';
import { ApiError, invalidField } from '../http/api-error.ts';
import { readFormData } from '../http/read-body.ts';
import type { PlatformContext } from '../platform.ts';
import type { MessageFields } from './schema.ts';

const MAX_FILES = 10;
const MEBIBYTE = 1024 * 1024;
const MAX_FILE_BYTES_BY_TIER = [10, 10, 50, 100].map((size) => size * MEBIBYTE);

/** The files of a form by the number in the name of their part, `files[n]`. */
export type Files = Map<string, File>;

export const readFiles = async (c: PlatformContext): Promise<Files> => {
  const files: Files = new Map();
  if (!c.req.header('content-type')?.startsWith('multipart/form-data')) return files;
  for (const [name, part] of await readFormData(c)) {
    if (typeof part === 'string') continue;
    files.set(/^files\[(\d+)\]$/.exec(name)?.[1] ?? name, part);
  }
  return files;
};

/** Throws if the guild takes no such files; nothing is stored before that. */
export const requireFilesAllowed = ({ settings }: Guild, files: Files) => {
  if (files.size > MAX_FILES) {
    const message = `Must be ${MAX_FILES} or fewer in length.`;
    throw invalidField(['attachments'], 'BASE_TYPE_BAD_LENGTH', message);
  }
  const maximum = MAX_FILE_BYTES_BY_TIER[settings.premium_tier] ?? 10 * MEBIBYTE;
  for (const file of files.values()) {
    if (file.size > maximum) throw new ApiError(413, 40005, 'Request entity too large');
  }
};

export const storeFiles = async (
  world: World,
  placeId: string,
  files: Files,
  described: MessageFields['attachments'],
): Promise<Attachment[]> => {
  const stored: Attachment[] = [];
  for (const [number, file] of files) {
    const about = described?.find(({ id }) => id === number);
    const attachment: Attachment = {
      id: world.nextId(),
      filename: safeName(about?.filename ?? file.name),
      size: file.size,
      content_type: file.type || mimeOfFileName(file.name),
      ...(about?.description && { description: about.description }),
      ...(about?.title && { title: about.title }),
    };
    const base64 = Buffer.from(await file.arrayBuffer()).toString('base64');
    const mime = attachment.content_type ?? 'application/octet-stream';
    world.images.set(attachmentKey(placeId, attachment), { mime, base64 });
    stored.push(attachment);
  }
  return stored;
};

/** As the platform rewrites names: letters, digits, dots, underscores and hyphens. */
const safeName = (name: string): string => name.trim().replace(/[^\w.-]+/g, '_') || 'unknown';
