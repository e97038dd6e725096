import { z } from 'zod';
import { largestUploadBytes } from './checks.ts';
import { count, url, uuid } from './common.ts';
import { endpointsOf } from './endpoint.ts';

/** Width and height of what is stored: larger pictures are scaled down. */
export const largestPictureSide = 1600;

/** A picture that was sent in, by its id; null for none. */
export const pictureId = uuid
  .toLowerCase()
  .nullable()
  .describe('The id of an upload of this account, or null for no picture.');

export const upload = z
  .object({
    id: uuid.describe('Name it where a picture is set.'),
    url: url.describe('Where the picture is served, to everybody who has the address.'),
    width: count.meta({ example: 512 }),
    height: count.meta({ example: 512 }),
    bytes: count.describe('Size of the stored picture.').meta({ example: 18423 }),
  })
  .meta({ id: 'Upload' });

export const uploadEndpoints = endpointsOf('Uploads', {
  createUpload: {
    method: 'POST',
    path: '/uploads',
    summary: 'Upload a picture',
    description: `A PNG, JPEG, WebP or GIF of at most 2 MiB and 16 megapixels, as \`multipart/form-data\`. It is encoded anew as WebP: metadata is dropped, pictures over ${largestPictureSide} pixels are scaled down, and of an animation the first frame stays. It counts as storage. An upload that nothing uses is deleted after a day.`,
    scope: 'upload:write',
    freshSecondFactor: 'never',
    upload: { field: 'file', largestBytes: largestUploadBytes },
    body: z.object({ file: z.file().describe('The picture.') }),
    status: 201,
    data: upload,
    refusals: { 403: "The plan's storage is used up, or there are 1,000 uploads already." },
  },
});
