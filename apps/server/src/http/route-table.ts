import { Context, type Hono } from 'hono';
import { getPath } from 'hono/utils/url';
import type { HttpEnv } from './context.ts';
import type { Frame } from './frame.ts';

type Handle = (context: Context<HttpEnv>) => Promise<Response>;
type Params = Record<string, string>;
/** `path` is the pattern, such as `/api/v1/servers/:id`. */
type Route = { path: string; handle: Handle };

/**
 * The endpoints below one prefix, found by method and path in a table instead of by a search through all
 * routes of the service, and run without middleware: for a small read both cost as much as the rest of it.
 */
export const createRouteTable = () => {
  const fixed = new Map<string, Route>();
  const withParams = new Map<string, (Route & { segments: string[] })[]>();
  return {
    add(method: string, path: string, handle: Handle): void {
      if (!path.includes(':')) fixed.set(`${method} ${path}`, { path, handle });
      else {
        const segments = path.split('/');
        const key = `${method} ${segments.length}`;
        withParams.set(key, [...(withParams.get(key) ?? []), { path, segments, handle }]);
      }
    },
    /** In the order in which they were added, fixed paths first. */
    find(method: string, path: string): { route: Route; params: Params } | undefined {
      const route = fixed.get(`${method} ${path}`);
      if (route) return { route, params: noParams };
      const given = path.split('/');
      for (const route of withParams.get(`${method} ${given.length}`) ?? []) {
        const params = match(route.segments, given);
        if (params) return { route, params };
      }
      return undefined;
    },
  };
};

type RouteTable = ReturnType<typeof createRouteTable>;

const noParams: Params = {};

const match = (segments: string[], given: string[]): Params | undefined => {
  const params: Params = {};
  for (const [at, segment] of segments.entries()) {
    const value = given[at] ?? '';
    if (segment.startsWith(':') && value !== '') params[segment.slice(1)] = value;
    else if (segment !== value) return undefined;
  }
  return params;
};

/** Answers what the table has before the app looks for it; everything else goes to the app as before. */
export const mountRouteTable = (
  app: Hono<HttpEnv>,
  { prefix, table, frame }: { prefix: string; table: RouteTable; frame: Frame },
): void => {
  const answerOther = app.fetch;
  app.fetch = (request, env, executionContext) => {
    const path = getPath(request);
    const isHead = request.method === 'HEAD';
    const method = isHead ? 'GET' : request.method;
    const found = path.startsWith(prefix) ? table.find(method, path) : undefined;
    if (!found || !isGiven(env)) return answerOther(request, env, executionContext);
    const { handle, path: pattern } = found.route;
    // Where Hono's own router puts the parameters; it decodes them when they are read.
    const route = { basePath: '/', path: pattern, method, handler: handle };
    const matchResult: Match = [[[[handle, route], found.params]]];
    const context = new Context<HttpEnv>(request, { env, path, matchResult });
    const answered = answer(context, handle, frame);
    return isHead ? answered.then((response) => new Response(null, response)) : answered;
  };
};

const isGiven = (env: object | undefined): env is HttpEnv['Bindings'] =>
  env !== undefined && 'peerAddress' in env;

type Match = NonNullable<NonNullable<ConstructorParameters<typeof Context>[1]>['matchResult']>;

const answer = async (
  context: Context<HttpEnv>,
  handle: Handle,
  { begin, run, end, answerError }: Frame,
): Promise<Response> => {
  const startedAt = performance.now();
  let response: Response;
  try {
    const recovery = begin(context);
    if (recovery) await recovery;
    response = await run(context, handle);
  } catch (error) {
    response = await answerError(error, context);
  }
  end(context, response, startedAt);
  return response;
};
