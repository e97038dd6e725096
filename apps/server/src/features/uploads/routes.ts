import type { uploadEndpoints } from '@holdfast/contract';
import type { Handlers } from '../../http/handler.ts';
import { recordAudit } from '../audit/queries.ts';
import { pictureUrl } from './pictures/send-picture.ts';
import { storePicture, type UploadDependencies } from './pictures/store-picture.ts';
import { markUploadStored } from './queries.ts';

type Dependencies = UploadDependencies & { baseUrl: string };

export const uploadHandlers = (dependencies: Dependencies): Handlers<typeof uploadEndpoints> => ({
  createUpload: {
    async askFirst(_db, { account, body: { file } }) {
      const { accountId, limits } = account;
      const { maxStorageBytes } = limits;
      const picture = await storePicture(dependencies, { accountId, maxStorageBytes, file });
      return async (tx, { actor }) => {
        if ('refusal' in picture) throw picture.refusal;
        const { id, token, width, height, bytes } = picture;
        if (!(await markUploadStored(tx, { id, accountId }))) throw new Error('The upload is gone');
        await recordAudit(tx, {
          accountId,
          actor,
          action: 'upload.create',
          subject: { type: 'upload', id },
          changes: { width, height, bytes },
        });
        return { id, url: pictureUrl(dependencies.baseUrl, token), width, height, bytes };
      };
    },
  },
});
