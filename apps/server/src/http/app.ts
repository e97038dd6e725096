/**
 * The HTTP layer. `serve.ts` listens and drains; `frame.ts` wraps every answer with a request id, common
 * headers, metrics and the one place where errors become answers. `pipeline.ts` mounts the endpoints of
 * the contract, found by `route-table.ts`, and runs each request through the same steps, which stand in `auth/` (API key, second
 * factor), `limits/` (rate limit, concurrency per account) and `endpoint/` (input, idempotency, answer).
 * `handler.ts` has the types that features implement. `events/` tells open dashboards what has changed.
 * `pages/` are HTML pages, `languages/` chooses the language of those for members, `landing/` is the one
 * at `/`, `reference/` is the API reference at /docs, `guides/` serves docs/guides, `mcp/` serves assistants, `brand/` has the design
 * tokens and the mark of all of them, `operations.ts` has health checks and metrics.
 */
import { type Context, Hono } from 'hono';
import { mountBrand } from './brand/mount-brand.ts';
import type { HttpEnv } from './context.ts';
import { createFrame, type FrameDependencies } from './frame.ts';
import { mountLanguageSwitch } from './languages/page-language.ts';
import { asksForPage, sendErrorPage } from './pages/error-page.tsx';
import { mountPageStyle } from './pages/page.tsx';

export const createHttpApp = (dependencies: FrameDependencies): Hono<HttpEnv> => {
  const { begin, run, end, answerError } = createFrame(dependencies);
  const app = new Hono<HttpEnv>();
  app.use(async (context, next) => {
    const startedAt = performance.now();
    const recovery = begin(context);
    if (recovery) await recovery;
    await run(context, next);
    end(context, context.res, startedAt);
  });
  mountBrand(app);
  mountPageStyle(app);
  mountLanguageSwitch(app);
  app.notFound(answerNotFound);
  app.onError(answerError);
  return app;
};

export const answerNotFound = (context: Context<HttpEnv>): Response | Promise<Response> =>
  asksForPage(context) ? sendErrorPage(context, 404) : context.json({ error: 'Not found' }, 404);
