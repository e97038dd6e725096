import type { Hono } from 'hono';
import type { HttpEnv } from '../../http/admission.ts';
import { sendAsset } from '../../http/assets.ts';
import { addressOf, createAddressLimit } from '../../http/pages/address-limit.ts';
import { takeAppeal } from './appeals/appeal.ts';
import { buildCheckScript } from './browser/build.ts';
import { endAuthorization } from './callback/callback.ts';
import { showCheck, takeCheck } from './check/check.ts';
import { showDone } from './check/done.tsx';
import { callbackPath, checkScriptPath } from './paths.ts';
import type { Door } from './queries.ts';
import { sendTooMany } from './start-again.tsx';
import type { VerificationTools } from './tools.ts';
import { createVisitCounter } from './visit/attempt-cookie.ts';
import { beginAuthorization, showVisit } from './visit/visit.tsx';
import { type PageContext, withDoor } from './with-door.ts';

const beginsPerMinute = 60;
const callbacksPerMinute = 120;

/** The member's way in: visit, authorize, check, done. */
export const mountVerification = (app: Hono<HttpEnv>, tools: VerificationTools) => {
  const script = buildCheckScript();
  // Told to whoever asks for it; nobody need hear of it before.
  script.catch(() => undefined);
  app.get(checkScriptPath, async (context) => sendAsset(context, await script));

  const mayBegin = createAddressLimit(beginsPerMinute);
  const mayReturn = createAddressLimit(callbacksPerMinute);
  const takeBack = async (context: PageContext): Promise<Response> =>
    (await mayReturn(addressOf(context, tools)))
      ? endAuthorization(context, tools)
      : sendTooMany(context);
  const begin = async (context: PageContext, door: Door): Promise<Response> =>
    (await mayBegin(addressOf(context, tools)))
      ? beginAuthorization(context, door, tools)
      : sendTooMany(context);

  app.get(callbackPath, takeBack);
  const visit = showVisit(createVisitCounter());
  app.get('/verify/:serverId', withDoor(tools, 'verify.visit', visit));
  app.post('/verify/:serverId', withDoor(tools, 'verify.begin', begin));
  app.get('/verify/:serverId/check', withDoor(tools, 'verify.showCheck', showCheck));
  app.post('/verify/:serverId/check', withDoor(tools, 'verify.takeCheck', takeCheck));
  app.post('/verify/:serverId/appeal', withDoor(tools, 'verify.appeal', takeAppeal));
  app.get('/verify/:serverId/done', withDoor(tools, 'verify.done', showDone));

  return {
    /**
     * A bot's own address for the way back may be any path of ours: what no other route took, and what
     * looks like a way back, is one. Undefined for everything else.
     */
    answerStrayCallback(context: PageContext): Promise<Response> | undefined {
      const { state, code, error } = context.req.query();
      const isWayBack = context.req.method === 'GET' && state !== undefined;
      return isWayBack && (code !== undefined || error !== undefined)
        ? takeBack(context)
        : undefined;
    },
  };
};
