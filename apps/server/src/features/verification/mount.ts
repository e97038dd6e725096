import type { Hono } from 'hono';
import type { HttpEnv } from '../../http/admission.ts';
import { sendAsset } from '../../http/assets.ts';
import { takeAppeal } from './appeals/appeal.ts';
import { buildCheckScript } from './browser/build.ts';
import { endAuthorization } from './callback/callback.ts';
import { showCheck, takeCheck } from './check/check.ts';
import { showDone } from './check/done.tsx';
import { callbackPath, checkScriptPath } from './paths.ts';
import type { VerificationTools } from './tools.ts';
import { createVisitCounter } from './visit/attempt-cookie.ts';
import { beginAuthorization, showVisit } from './visit/visit.tsx';
import { type PageContext, withDoor } from './with-door.ts';

/** The member's way in: visit, authorize, check, done. */
export const mountVerification = (app: Hono<HttpEnv>, tools: VerificationTools): void => {
  const script = buildCheckScript();
  // Told to whoever asks for it; nobody need hear of it before.
  script.catch(() => undefined);
  app.get(checkScriptPath, async (context) => sendAsset(context, await script));

  app.get(callbackPath, (context) => endAuthorization(context, tools));
  const visit = showVisit(createVisitCounter());
  app.get('/verify/:serverId', withDoor(tools, 'verify.visit', visit));
  app.post('/verify/:serverId', withDoor(tools, 'verify.begin', beginAuthorization));
  app.get('/verify/:serverId/check', withDoor(tools, 'verify.showCheck', showCheck));
  app.post('/verify/:serverId/check', withDoor(tools, 'verify.takeCheck', takeCheck));
  app.post('/verify/:serverId/appeal', withDoor(tools, 'verify.appeal', takeAppeal));
  app.get('/verify/:serverId/done', withDoor(tools, 'verify.done', showDone));
};

/**
 * A bot's own address for the way back may be any path of ours: what no other route took, and what
 * looks like a way back, is one. Undefined for everything else.
 */
export const answerStrayCallback = (
  context: PageContext,
  tools: VerificationTools,
): Promise<Response> | undefined => {
  const { state, code, error } = context.req.query();
  const isWayBack = context.req.method === 'GET' && state !== undefined;
  return isWayBack && (code !== undefined || error !== undefined)
    ? endAuthorization(context, tools)
    : undefined;
};
