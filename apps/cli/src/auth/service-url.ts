import { CommandError } from '../exit-codes.ts';

/** Where `npm start` listens. */
export const usualUrl = 'http://localhost:3000';

/** In one form, so that the same service has the same text. */
export const checkedUrl = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new CommandError('usage', `${text} is no URL`, [
      'It begins with https://, such as https://holdfast.example.com',
    ]);
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new CommandError('usage', 'The URL of a service has no user, query or fragment');
  }
  return url.href.replace(/\/+$/, '');
};

/** Whether a key would go there over a network without encryption. */
export const isExposed = (url: string): boolean => {
  const { protocol, hostname } = new URL(url);
  return (
    protocol === 'http:' && !/^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
  );
};

/** How scripts consent to a service without encryption, such as one beside them in a network of containers. */
export const mayBeExposed = (env: Record<string, string | undefined>): boolean =>
  env.HOLDFAST_ALLOW_HTTP === '1';
