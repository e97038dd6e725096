import { announce, byCaller } from '../announce/announce.ts';
import { watch } from '../announce/watch.ts';
import { Permission } from '../guild/permissions.ts';
import { ApiError, invalidField } from '../http/api-error.ts';
import { readFormData } from '../http/read-body.ts';
import type { Platform, PlatformApp, PlatformContext } from '../platform.ts';
import { isSnowflake } from '../snowflakes.ts';
import { accessOwnInvite, type InviteAccess } from './invites.ts';

const FIELD = 'target_users_file';
const COMPLETED = 2;

/** Who alone can use an invite: a file with one user id in each line. */
export const mountTargetUserRoutes = (app: PlatformApp, platform: Platform) => {
  const path = '/invites/:code/target-users';
  app.get(path, (c) => {
    const userIds = requireList(accessOwnInvite(platform, c, Permission.ViewAuditLog));
    const headers = { 'Content-Type': 'text/csv' };
    return c.body(['user_id', ...userIds, ''].join('\n'), 200, headers);
  });
  app.put(path, async (c) => {
    const { guild, invite } = accessOwnInvite(platform, c, Permission.ManageGuild);
    const userIds = await readTargetUsers(c);
    if (!userIds) throw invalidField([FIELD], 'BASE_TYPE_REQUIRED', 'This field is required');
    const watched = watch(guild, ['invites', invite.code]);
    invite.target_user_ids = userIds;
    announce(platform, byCaller(c), watched);
    return c.body(null, 204);
  });
  // The platform reads a list in the background; here it is read at once.
  app.get(`${path}/job-status`, (c) => {
    const access = accessOwnInvite(platform, c, Permission.ViewAuditLog);
    const total = requireList(access).length;
    const { created_at } = access.invite;
    return c.json({
      status: COMPLETED,
      total_users: total,
      processed_users: total,
      created_at,
      completed_at: created_at,
      error_message: null,
    });
  });
};

const requireList = ({ invite }: InviteAccess): string[] => {
  if (invite.target_user_ids) return invite.target_user_ids;
  throw new ApiError(404, 10129, 'Unknown Invite Target Users');
};

/** Undefined if the request has no list. A first line that is no id is a heading. */
export const readTargetUsers = async (c: PlatformContext): Promise<string[] | undefined> => {
  if (!c.req.header('content-type')?.startsWith('multipart/form-data')) return undefined;
  const part = (await readFormData(c)).get(FIELD);
  if (part === null) return undefined;
  const text = typeof part === 'string' ? part : await part.text();
  const lines = text.split(/\r?\n/).map((line) => line.trim().replace(/^"(.*)"$/, '$1'));
  const [first = '', ...rest] = lines.filter((line) => line !== '');
  const ids = isSnowflake(first) ? [first, ...rest] : rest;
  if (ids.length === 0 || !ids.every(isSnowflake)) {
    throw invalidField([FIELD], 'BASE_TYPE_BAD', 'Each line must be the id of a user.');
  }
  return [...new Set(ids)];
};
