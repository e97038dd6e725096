import type { Context } from 'hono';
import { z } from 'zod';
import type { HttpEnv } from '../../http/admission.ts';
import { type Door, findDoor } from './queries.ts';
import { sendNoDoor } from './start-again.tsx';
import type { VerificationTools } from './tools.ts';

export type PageContext = Context<HttpEnv>;
type Handle = (
  context: PageContext,
  door: Door,
  tools: VerificationTools,
) => Response | Promise<Response>;

const serverId = z.guid();

/** A route of one server's door; what names no live server is answered with a page that says so. */
export const withDoor =
  (tools: VerificationTools, operation: string, handle: Handle) =>
  async (context: PageContext): Promise<Response> => {
    context.set('operation', operation);
    const id = serverId.safeParse(context.req.param('serverId'));
    const door = id.success ? await findDoor(tools.db, id.data) : undefined;
    return door ? handle(context, door, tools) : sendNoDoor(context);
  };
