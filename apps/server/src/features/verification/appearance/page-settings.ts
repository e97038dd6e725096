import type { verifyPageEndpoints } from '@holdfast/contract';
import type { z } from 'zod';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { markUnchanged } from '../../../http/audited.ts';
import type { Handlers, OwnedServer } from '../../../http/handler.ts';
import { invalidField, notFound } from '../../../kernel/errors.ts';
import { recordAudit } from '../../audit/queries.ts';
import { changedFields } from '../../audit/rules.ts';
import { lockServer } from '../../servers/queries.ts';
import { pictureUrl } from '../../uploads/pictures/send-picture.ts';
import { findPictures, setPicture } from '../../uploads/queries.ts';
import { findPageTexts, storePageTexts } from '../queries/verify-pages.ts';

type Settings = z.output<(typeof verifyPageEndpoints)['updateVerifyPage']['body']>;

const pictureFields = ['logoUploadId', 'backgroundUploadId'] as const;

export const verifyPageHandlers = (baseUrl: string): Handlers<typeof verifyPageEndpoints> => ({
  getVerifyPage: (db, { server }) => readSettings(db, server, baseUrl),

  async updateVerifyPage(tx, { server, actor, body }) {
    const { id: serverId, accountId } = server;
    if (!(await lockServer(tx, { accountId, serverId }))) throw notFound('Server');
    const before = await readSettings(tx, server, baseUrl);
    const { title, welcome, accent } = body;
    await storePageTexts(tx, { accountId, serverId }, { title, welcome, accent });
    await setPictures(tx, server, body);
    const changes = changedFields<Settings>(before, body);
    if (Object.keys(changes).length === 0) {
      markUnchanged(tx);
      return before;
    }
    const subject = { type: 'server', id: serverId };
    const page = await readSettings(tx, server, baseUrl);
    await recordAudit(tx, { accountId, actor, action: 'verifyPage.update', subject, changes });
    return page;
  },
});

const readSettings = async (db: Queryable, server: OwnedServer, baseUrl: string) => {
  const { id: serverId, accountId } = server;
  const pictures = await findPictures(db, { accountId, holderId: serverId });
  const [logo, background] = pictureFields.map((name) =>
    pictures.find(({ field }) => field === name),
  );
  return {
    ...(await findPageTexts(db, { accountId, serverId })),
    logoUploadId: logo?.id ?? null,
    backgroundUploadId: background?.id ?? null,
    logoUrl: logo ? pictureUrl(baseUrl, logo.token) : null,
    backgroundUrl: background ? pictureUrl(baseUrl, background.token) : null,
  };
};

const setPictures = async (tx: Transaction, server: OwnedServer, body: Settings) => {
  const { id: holderId, accountId } = server;
  for (const field of pictureFields) {
    const uploadId = body[field];
    if (uploadId === undefined) continue;
    if (!(await setPicture(tx, { accountId, holderId, field }, uploadId))) {
      throw invalidField(field, 'There is no such upload');
    }
  }
};
