/** What a page's request was answered. */
export type PageReply = { status: number; location: string | null; text: string; headers: Headers };

type Fetch = (request: Request, address: string) => Promise<Response> | Response;

/** A browser without scripts: it keeps cookies and has a client address. */
export type PageBrowser = {
  get(path: string): Promise<PageReply>;
  post(
    path: string,
    form?: Record<string, string>,
    headers?: Record<string, string>,
  ): Promise<PageReply>;
  cookies: Map<string, string>;
};

export const newPageBrowser = (
  send: Fetch,
  baseUrl: string,
  { address = '9.9.9.9', headers: always = {} as Record<string, string> } = {},
): PageBrowser => {
  const cookies = new Map<string, string>();
  const ask = async (path: string, init: RequestInit & { headers?: Record<string, string> }) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(cookie && { cookie }), ...always, ...init.headers };
    const url = new URL(path, baseUrl);
    const response = await send(new Request(url, { ...init, headers }), address);
    for (const line of response.headers.getSetCookie()) keepCookie(cookies, line);
    return {
      status: response.status,
      location: response.headers.get('location'),
      text: await response.text(),
      headers: response.headers,
    };
  };
  return {
    cookies,
    get: (path) => ask(path, {}),
    post(path, form = {}, headers = {}) {
      const body = new URLSearchParams(form).toString();
      return ask(path, {
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': String(body.length),
          origin: new URL(baseUrl).origin,
          ...headers,
        },
      });
    },
  };
};

const keepCookie = (cookies: Map<string, string>, line: string): void => {
  const [pair = ''] = line.split(';');
  const [name = '', value = ''] = pair.split('=');
  if (/max-age=0\b/i.test(line)) cookies.delete(name);
  else cookies.set(name, value);
};
