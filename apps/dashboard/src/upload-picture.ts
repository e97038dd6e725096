import { createHoldfastDashboard, type Output } from '@holdfast/sdk/dashboard';

export type Picture = Pick<Output<'createUpload'>, 'id' | 'url'>;

/** Sends a picture; `onProgress` gets the share that has been sent, from 0 to 1. */
export const uploadPicture = (file: File, onProgress: (share: number) => void): Promise<Picture> =>
  createHoldfastDashboard({
    baseUrl: location.origin,
    fetch: sendWithProgress(onProgress),
    timeoutMs: 120_000,
  }).createUpload({ body: { file } });

/** Like `fetch`, which does not tell how much of a body has been sent. */
const sendWithProgress =
  (onProgress: (share: number) => void) =>
  (url: string, { method = 'GET', headers, body, signal }: RequestInit): Promise<Response> =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open(method, url);
      new Headers(headers).forEach((value, name) => {
        request.setRequestHeader(name, value);
      });
      request.upload.onprogress = ({ loaded, total }) =>
        onProgress(total === 0 ? 0 : loaded / total);
      request.onload = () => resolve(responseOf(request));
      request.onerror = () => reject(new TypeError('The connection was lost'));
      request.onabort = () => reject(signal?.reason);
      signal?.addEventListener('abort', () => request.abort());
      request.send(body instanceof FormData ? body : null);
    });

const responseOf = (request: XMLHttpRequest): Response => {
  const headers = new Headers();
  for (const line of request.getAllResponseHeaders().trim().split('\r\n')) {
    const at = line.indexOf(':');
    if (at > 0) headers.append(line.slice(0, at), line.slice(at + 1).trim());
  }
  return new Response(request.responseText, { status: request.status, headers });
};
