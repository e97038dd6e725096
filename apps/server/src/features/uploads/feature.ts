import { jobEntry } from '../../queue/job.ts';
import { expireUploads, expireUploadsJob } from './jobs.ts';
import { mountPictures } from './pictures/send-picture.ts';
import { purgePictures } from './queries.ts';
import { uploadHandlers } from './routes.ts';

/**
 * Uploads: pictures that owners send in, for what people see of their communities.
 *
 * - `pictures/store-picture.ts`: encodes the picture anew and stores it as an object of the account, beside
 *   those of backups. `pictures/send-picture.ts` serves it at an address that cannot be guessed.
 * - `setPicture` in `queries.ts`: other features use a picture by its id, in a field of a record of theirs.
 * - `jobs.ts`: deletes what nothing has used for a day.
 */
export const uploads = {
  handlers: uploadHandlers,
  mount: mountPictures,
  jobs: [jobEntry(expireUploads, expireUploadsJob)],
  purgeServer: [purgePictures],
};
