import type { appealEndpoints, DashboardEndpoints } from '@holdfast/contract';
import type { Hono } from 'hono';
import { sendAsset } from '../../http/assets.ts';
import type { HttpEnv } from '../../http/context.ts';
import type { Handlers } from '../../http/handler.ts';
import { addressOf, createAddressLimit } from '../../http/limits/address-limit.ts';
import { conflict, notFound } from '../../kernel/errors.ts';
import { lockAccount } from '../accounts/queries.ts';
import { recordAudit } from '../audit/queries.ts';
import { callbackPath } from '../bots/setup/redirect-uri.ts';
import { hasRule } from '../rules/queries.ts';
import { ruleHandlers } from '../rules/routes.ts';
import { whitelistRules } from '../whitelist/table.ts';
import { submitAppeal } from './appeals/submit-appeal.ts';
import { sendPageStyle } from './appearance/page-style.ts';
import { mountPreview } from './appearance/preview.ts';
import { endAuthorization } from './callback/callback.ts';
import { showCheck, submitCheck } from './check/check.ts';
import { buildCheckScript } from './check/check-page.tsx';
import { showDone } from './complete/done-page.tsx';
import { sendTooManyAttempts } from './pages/error-pages.tsx';
import {
  checkScriptPath,
  type PageContext,
  type PageRequest,
  type VerificationDependencies,
} from './pages/page-context.ts';
import { withServer } from './pages/server-page.tsx';
import { closeAppeal, findAppeal, listAppeals } from './queries/appeals.ts';
import { createVisitCounter } from './visit/attempt-cookie.ts';
import { beginAuthorization, showVisit } from './visit/visit.tsx';

const whitelist = ruleHandlers(whitelistRules, 'whitelistRule');

export const appealHandlers: Handlers<typeof appealEndpoints> = {
  listAppeals: (db, { server, query }) => listAppeals(db, server, query),

  async decideAppeal(tx, { server, actor, params, body }) {
    const isAccepted = body.decision === 'ACCEPT';
    const { appealId } = params;
    const appeal = await closeAppeal(tx, server, appealId, isAccepted ? 'ACCEPTED' : 'REJECTED');
    if (!appeal) {
      const decided = await findAppeal(tx, server, appealId);
      throw decided ? conflict('The appeal is decided already') : notFound('Appeal');
    }
    const { platformId } = appeal;
    if (isAccepted) {
      // Rules are created under this lock, so that no one creates the same one meanwhile.
      await lockAccount(tx, server.accountId);
      if (!(await hasRule(tx, whitelistRules, server, 'USER_ID', platformId))) {
        const rule = { type: 'USER_ID' as const, value: platformId, note: 'Appeal' };
        await whitelist.create(tx, { actor, server, body: rule });
      }
    }
    await recordAudit(tx, {
      accountId: server.accountId,
      actor,
      action: isAccepted ? 'appeal.accept' : 'appeal.reject',
      subject: { type: 'appeal', id: appeal.id },
      changes: { serverId: server.id, platformId },
    });
    return appeal;
  },
};

export const appealDashboardHandlers: Handlers<Pick<DashboardEndpoints, 'findAppeals'>> = {
  findAppeals: (db, { server, query }) => listAppeals(db, server, query),
};

const beginsPerMinute = 60;
const callbacksPerMinute = 120;

/** The pages of a verification, in the order in which a newcomer opens them. */
export const mountVerification = (app: Hono<HttpEnv>, dependencies: VerificationDependencies) => {
  const script = buildCheckScript();
  // A failed build is reported to the requests for the script, not as an unhandled rejection.
  script.catch(() => undefined);
  app.get(checkScriptPath, async (context) => sendAsset(context, await script));

  const mayBegin = createAddressLimit('verify.begin', beginsPerMinute, dependencies);
  const mayReturn = createAddressLimit('verify.return', callbacksPerMinute, dependencies);
  const callback = async (context: PageContext): Promise<Response> =>
    (await mayReturn(addressOf(context, dependencies)))
      ? endAuthorization(context, dependencies)
      : sendTooManyAttempts(context);
  const begin = async (request: PageRequest): Promise<Response> =>
    (await mayBegin(addressOf(request.context, request)))
      ? beginAuthorization(request)
      : sendTooManyAttempts(request.context);

  app.get(callbackPath, callback);
  mountPreview(app, dependencies);
  const visit = showVisit(createVisitCounter(dependencies));
  app.get('/verify/:serverId', withServer(dependencies, 'verify.visit', visit));
  app.get('/verify/:serverId/style.css', withServer(dependencies, 'verify.style', sendPageStyle));
  app.post('/verify/:serverId', withServer(dependencies, 'verify.begin', begin));
  app.get('/verify/:serverId/check', withServer(dependencies, 'verify.showCheck', showCheck));
  app.post('/verify/:serverId/check', withServer(dependencies, 'verify.submitCheck', submitCheck));
  app.post('/verify/:serverId/appeal', withServer(dependencies, 'verify.appeal', submitAppeal));
  app.get('/verify/:serverId/done', withServer(dependencies, 'verify.done', showDone));

  return {
    /**
     * A bot's own redirect address may be any path of this service. So a request that no route
     * handles is a callback if it looks like one; undefined for every other request.
     */
    answerStrayCallback(context: PageContext): Promise<Response> | undefined {
      const { state, code, error } = context.req.query();
      const isCallback =
        context.req.method === 'GET' &&
        state !== undefined &&
        (code !== undefined || error !== undefined);
      return isCallback ? callback(context) : undefined;
    },
  };
};
